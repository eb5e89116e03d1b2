/* mman.h - pages: all of it is in posix.h, which was included before. */
