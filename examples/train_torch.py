#!/usr/bin/env python3
"""Tell E. coli from human sequence with PyTorch. A stopped run goes on where STATE was saved; ranks share each batch.

    make lib
    python3 examples/train_torch.py [STATE]
    torchrun --nproc_per_node 2 examples/train_torch.py [STATE]
"""
import os
import sys

import torch
import torch.distributed as ranks
from torch.nn import AdaptiveMaxPool1d, Conv1d, Flatten, Linear, ReLU, Sequential
from torch.nn.functional import cross_entropy

import biostream

data = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'data')
classes = {'coli': (1, 0, [os.path.join(data, 'ecoli_536_genome.fasta.gz')]),
           'human': (1, 1, [os.path.join(data, 'human_hg18_chrM_chr20part.bgzf.fasta.gz')])}
file = sys.argv[1] if len(sys.argv) > 1 else os.devnull
rank, world, epochs = int(os.environ.get('RANK', 0)), int(os.environ.get('WORLD_SIZE', 1)), 2
if world > 1:
    ranks.init_process_group('gloo')


def open_part(low, below, **fields):
    """Pieces of 150 bases; a block of 3000 bases is in one part alone. Rows of N are left out."""
    return biostream.Loader(groups=classes, torch=True, batch_rows=256, row_bases=150, long_records='split',
                            encoding={'dtype': 'f32', 'layout': 'ncl'}, labels={'dtype': 'i64'},
                            filter={'max_n_fraction': 0.5}, epochs=epochs, rank=rank, world=world,
                            split={'by': 'block', 'block_bases': 3000, 'from': low, 'below': below}, **fields)


torch.manual_seed(1)
model = Sequential(Conv1d(4, 64, 12), ReLU(), AdaptiveMaxPool1d(1), Flatten(), Linear(64, 2))
optimizer = torch.optim.Adam(model.parameters(), 2e-3)
with open_part(0.0, 0.8, shuffle_rows=65536, digest=True, augment={'reverse_complement': 0.5}) as loader:
    if os.path.isfile(file):
        saved = torch.load(file)
        model.load_state_dict(saved['model'])
        optimizer.load_state_dict(saved['optimizer'])
        loader.load_state_dict(saved['loader'])
    for epoch in range(loader.next_epoch, epochs):
        digest = torch.zeros(1, dtype=torch.int64)
        for batch in loader.epoch(epoch):
            optimizer.zero_grad()
            rows = batch.valid_rows  # the others are padding
            cross_entropy(model(batch.x[:rows]), batch.labels[:rows], reduction='sum').backward()
            for weights in model.parameters() if world > 1 else ():
                ranks.all_reduce(weights.grad)
            optimizer.step()
            digest += batch.digest - (batch.digest >> 63 << 64)
        ranks.all_reduce(digest) if world > 1 else None
        if rank == 0:
            torch.save({'model': model.state_dict(), 'optimizer': optimizer.state_dict(),
                        'loader': loader.state_dict()}, file)
            print('epoch %d\tdigest %016x' % (epoch, int(digest) % 2 ** 64), flush=True)
right = torch.zeros(2, 2, dtype=torch.int64)
with open_part(0.8, 1.0, epoch_end='all') as loader, torch.no_grad():
    for batch in loader.epoch(0):
        found = model(batch.x).argmax(1)
        for row, (group, turn) in enumerate(zip(batch.ids['group'], batch.ids['pass'])):
            if row < batch.valid_rows and turn == 0:  # a row that came again counts once
                right[group, int(found[row] == group)] += 1
ranks.all_reduce(right) if world > 1 else None
if rank == 0:
    shares = right[:, 1] / right.sum(1)
    print('held-out accuracy %.4f of %d rows' % (shares.mean(), right.sum()))
