/*
 * cuda_train - the training of examples/cuda_train.cu without a GPU, and without its compiler.
 *
 * Shows: a program for a GPU that runs, and is tested, in host memory: biost_cuda_dummy() in place of
 * CUDA, and loops in place of kernels, around the same functions. On a GPU it prints the same figures.
 *
 *   cc -O2 examples/cuda_train.c -o cuda_train -lm -pthread      (-ldl too with an older libc)
 *
 *   $ build/examples/cuda_train examples/data/ecoli_536_genome.fasta.gz examples/data/human_hg18_chrM_chr20part.bgzf.fasta.gz
 *   epoch 0: 10785 rows learned, loss 0.1187; 2722 held out, accuracy 0.9574
 *   epoch 1: 10720 rows learned, loss 0.0704; 2787 held out, accuracy 0.9760
 *   epoch 2: 10756 rows learned, loss 0.0668; 2751 held out, accuracy 0.9756
 *   epoch 3: 10788 rows learned, loss 0.0628; 2718 held out, accuracy 0.9761
 *   epoch 4: 10765 rows learned, loss 0.0585; 2741 held out, accuracy 0.9767
 */
#include "cuda_train.cu"
