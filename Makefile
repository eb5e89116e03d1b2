# biostream: tests, examples and checks. The header itself needs no build.
#
# Any POSIX make will do. tests/rules.sh writes the actual rules into build/CONFIG/rules.mk, one plain rule per program
# with the dependencies that the compiler found. Everything is built in build/.
#
#   CC, CXX, CFLAGS     compilers and flags           make test CC=clang CFLAGS=-O3
#   WERROR=-Werror      warnings are errors
#   NO_LIBDEFLATE=1     build without libdeflate even if it is installed
#   NO_ZLIB=1           build the tests without zlib and htslib even if they are installed
#   WITHOUT='loader stores parallel_gzip simd'  leave out these layers and what uses them; give CONFIG= as well
#   CONFIG=name         build into build/name         make test CC=clang CONFIG=clang
#   TESTS_CFLAGS=-O1    flags for the tests' own code, after CFLAGS
#   ONLY=text           make test: only the tests whose name contains text
#   PROGRAMS='a b'      make test, make alone: only files with one of these words in their name, or for a test in the
#                       name of its program
#   FULL=1              make test: with everything that make check adds to the tests
#   TEST_TIMEOUT=900    make test: stop a test after so many seconds, 600 by default; a slow or busy machine gets more,
#                       at most ten times as many
#   MATRIX=few          make matrix: only the oldest standard of each language, with libdeflate if it is installed;
#                       make test: without the compile checks that make matrix has as well
#   AGAIN=1             make test: run also what has not changed since it passed
#   V=1                 show the commands
#   PREFIX=/usr         make install and uninstall: the tree, /usr/local by default. BINDIR, LIBDIR, INCLUDEDIR, MANDIR
#                       and DOCDIR move parts of it; DESTDIR=/stage is put before all of them
#   LDFLAGS, AR         make lib and install: flags for linking; the program that packs a static library
#   ROOM='a b' COUNT=3 SEED=1   make mutants: these rooms, so many mutants each; another SEED draws others. MUTANT='4 17'
#                       runs only these numbers of the draw
#   GPU_PART='facts tests'  make gpu-check: only these parts. All parts, at most six minutes each: facts tests expand
#                       copy sanitizer python settings overlap examples pipe torch ncu scaling
#   GPU_REQUIRED=1      make gpu-check, make gpu-bench: fail if there is no GPU
#   NVCC_ARCH=sm_90     make gpu-check, make gpu-bench: compile for this processor instead of the GPU that is found
#   BENCH_SECONDS=N     make gpu-check, make gpu-bench: begin nothing after so many seconds, and name what is left out

CFLAGS = -O2
# Of the tests' own part, after CFLAGS; that of the headers is compiled as CFLAGS says.
TESTS_CFLAGS = -O1
CONFIG = default
PREFIX = /usr/local
BINDIR = $(PREFIX)/bin
LIBDIR = $(PREFIX)/lib
INCLUDEDIR = $(PREFIX)/include
MANDIR = $(PREFIX)/share/man
DOCDIR = $(PREFIX)/share/doc/biostream

# The settings, handed to the scripts in the environment.
SETTINGS = CC='$(CC)' CXX='$(CXX)' CFLAGS='$(CFLAGS)' WERROR='$(WERROR)' V='$(V)' \
	NO_LIBDEFLATE='$(NO_LIBDEFLATE)' NO_ZLIB='$(NO_ZLIB)' SANITIZE='$(SANITIZE)' CONFIG='$(CONFIG)' \
	TESTS_CFLAGS='$(TESTS_CFLAGS)' WITHOUT='$(WITHOUT)' AR='$(AR)' LDFLAGS='$(LDFLAGS)' ONLY='$(ONLY)' PROGRAMS='$(PROGRAMS)' FULL='$(FULL)' AGAIN='$(AGAIN)'
PLACES = DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' BINDIR='$(BINDIR)' LIBDIR='$(LIBDIR)' INCLUDEDIR='$(INCLUDEDIR)' \
	MANDIR='$(MANDIR)' DOCDIR='$(DOCDIR)'
# Write the rules; then build by them, quietly unless V=1.
RULES = $(SETTINGS) sh tests/rules.sh
SILENT = `test -n '$(V)' || echo -s`
# On all processors, unless make was told a number.
ALL = `sh tests/jobs.sh`
BY_RULES = $(SILENT) $(ALL) -f build/$(CONFIG)/rules.mk

all: ## build tests and examples
	@$(RULES)
	@$(MAKE) $(BY_RULES) programs examples

run: ## show the main job on real data: reads into batches, then training (half a minute; seconds once it is built)
	@$(RULES)
	@$(MAKE) $(BY_RULES) run

test: ## run what a change touches: its tests, examples, quick compile checks and lint (three minutes the first time)
	@$(RULES)
	@status=0; $(MAKE) $(BY_RULES) -k logs || status=$$?; sh tests/sum.sh build/$(CONFIG) $$status

check: ## run everything, see below
	@$(MAKE) $(SILENT) test FULL=1
	@$(MAKE) $(SILENT) alone
	@$(MAKE) $(SILENT) matrix
	@$(MAKE) $(SILENT) lint
	@$(MAKE) $(SILENT) lint-selftest

alone: ## compile each example with the line that its comment shows, and run it
	@$(SETTINGS) sh tests/rules.sh alone
	@status=0; $(MAKE) $(SILENT) $(ALL) -k -f build/alone/rules.mk logs || status=$$?; sh tests/sum.sh build/alone $$status

examples: ## build the examples into build/examples
	@$(RULES)
	@$(MAKE) $(BY_RULES) examples

bench: ## measure against other readers and decoders (zlib, htslib, libdeflate, ISA-L; see bench/README.md)
	@$(RULES)
	@$(MAKE) $(BY_RULES) bench

bench-scaling: ## measure biost_stream and biost_loader with 1 worker, 2, up to the number of cores
	@$(RULES)
	@$(MAKE) $(BY_RULES) bench-scaling

bench-peers: ## install and measure whole programs and Python's readers (Debian packages, a venv in build/peers)
	@$(RULES)
	@$(MAKE) $(BY_RULES) bench-peers

gpu-check: ## all tests and benchmarks that need a GPU: driver, runtime, sanitizer, Python, profiler (GPU_PART= for some)
	@$(SETTINGS) sh tests/gpu_check.sh build/gpu

gpu-bench: ## measure on a GPU: expansion, copies, overlap, files to the device, PyTorch if installed (see bench/gpu.sh)
	@$(SETTINGS) sh bench/gpu.sh build/gpu

bench-plots: ## draw bench/results/PROCESSOR/*.svg from the *.tsv beside them
	@sh bench/plots.sh

asan: ## run the tests under AddressSanitizer
	@$(MAKE) $(SILENT) test CONFIG=asan SANITIZE=address CFLAGS='-O1 -g'

ubsan: ## run the tests under UndefinedBehaviorSanitizer
	@$(MAKE) $(SILENT) test CONFIG=ubsan SANITIZE=undefined CFLAGS='-O1 -g'

sanitize: ## run the tests under both sanitizers at once
	@$(MAKE) $(SILENT) test CONFIG=sanitize SANITIZE=address,undefined CFLAGS='-O1 -g'

mutants: ## change biostream.h in small ways and see that tests notice (ROOM= COUNT= SEED=; how to read it: tests/mutants.py)
	@CC='$(CC)' python3 tests/mutants.py ROOM='$(ROOM)' COUNT='$(COUNT)' SEED='$(SEED)' MUTANT='$(MUTANT)'

.PHONY: mutants

neon: ## test the kernels for 64-bit ARM under emulation (needs clang, lld, qemu-user and headers of arm64)
	@sh tests/neon.sh build/neon

.PHONY: neon

zig: ## compile and link with zig for macOS, Windows, RISC-V, musl, WASI; run nothing (pip installs zig into build/zig)
	@sh tests/zig.sh build/zig

.PHONY: zig

cuda: ## compile biostream_cuda.h with nvcc, and check the PTX in it (needs the CUDA toolkit, but no GPU)
	@$(SETTINGS) sh tests/cuda.sh build/cuda

.PHONY: cuda

tsan: ## run the tests that use threads under ThreadSanitizer
	@$(MAKE) $(SILENT) test CONFIG=tsan SANITIZE=thread CFLAGS='-O1 -g'

fuzz: ## run the fuzz targets with clang's libFuzzer, SECONDS=60 each, TARGET= only one; see tests/FUZZ.md
	@SECONDS_EACH='$(SECONDS)' TARGET='$(TARGET)' sh tests/fuzz/run.sh fuzz

.PHONY: fuzz

matrix: ## compile with gcc and clang, C99 to C++17, -O0 and -O2, with and without libdeflate; warnings are errors
	@$(SETTINGS) sh tests/rules.sh matrix
	@status=0; $(MAKE) $(SILENT) $(ALL) -k -f build/matrix/rules.mk matrix || status=$$?; sh tests/sum.sh build/matrix $$status

soak: ## test texts of gigabytes and 150000 more damaged texts (about 6 minutes and 4 GiB of memory)
	@$(SETTINGS) sh tests/rules.sh soak
	@status=0; $(MAKE) $(SILENT) $(ALL) -k -f build/soak/rules.mk logs || status=$$?; sh tests/sum.sh build/soak $$status

rooms: ## cut the headers into build/rooms, one file for each room, to read or edit them one by one
	@sh tests/rooms.sh build/rooms

join: ## put edited files of build/rooms back into the headers, then run the lint
	@sh tests/join.sh build/rooms
	@$(SETTINGS) sh tests/lint.sh --quick biostream.h build/lint
	@$(SETTINGS) sh tests/lint.sh --quick biostream_cuda.h build/lint_cuda cuda

.PHONY: rooms join

lint: ## check the headers' house rules and print their measures
	@$(SETTINGS) sh tests/lint.sh biostream.h build/lint
	@$(SETTINGS) sh tests/lint.sh biostream_cuda.h build/lint_cuda cuda
	@sh tests/format.sh

instructions: ## count the instructions of jobs on fixed inputs, and compare with tests/instructions.tsv (valgrind; half a minute)
	@$(SETTINGS) sh tests/rules.sh lib
	@$(MAKE) $(SILENT) $(ALL) -f build/lib/rules.mk lib
	@$(SETTINGS) sh tests/instructions.sh build/lib/libbiostream.a build/instructions

.PHONY: instructions

lint-selftest: ## prove that each check of the lint can fail
	@$(SETTINGS) sh tests/lint_selftest.sh build/lint_selftest

lib: ## build both headers as a library, shared and static, into build/lib
	@$(SETTINGS) sh tests/rules.sh lib
	@$(MAKE) $(SILENT) $(ALL) -f build/lib/rules.mk lib

install: ## install headers, library, tools, manual pages, files for pkg-config and CMake into $(DESTDIR)$(PREFIX)
	@$(SETTINGS) sh tests/rules.sh lib
	@$(MAKE) $(SILENT) $(ALL) -f build/lib/rules.mk lib tools
	@$(PLACES) sh tests/package.sh install

uninstall: ## remove what make install wrote, and its folders if they are empty then
	@$(PLACES) sh tests/package.sh uninstall

install-check: ## install into build/install, and build a small program in each way: CMake, pkg-config, a copy
	@$(SETTINGS) sh tests/install.sh build/install

api: ## the API as JSON, from the headers: functions, structs, enums, fields, comments; and for Rust (into build/api)
	@python3 tests/api.py build/api
	@ls -l build/api/biostream.json build/api/biostream_sys.rs

.PHONY: api

dist: ## the last commit as a package of sources with its checksum, in build/dist (URL= where it will be; see tests/dist.sh)
	@URL='$(URL)' HOMEPAGE='$(HOMEPAGE)' COMMIT='$(COMMIT)' sh tests/dist.sh

release: ## whether the tree can be given out: version, changes, layouts, the library's name, and a package that builds
	@CC='$(CC)' MAKE='$(MAKE)' sh tests/release.sh

packages: ## the packages of examples/packages, each by its tool where that is here (FULL=1: where it can be installed)
	@CC='$(CC)' CFLAGS='$(CFLAGS)' FULL='$(FULL)' sh tests/packages.sh build/packages

.PHONY: dist release packages

version: ## print the version of the headers, and check that both have the same
	@sh tests/version.sh

clean: ## remove build/
	rm -rf build

help: ## print this
	@sh tests/help.sh

.DEFAULT:
	@echo "make: no target '$@'"
	@sh tests/help.sh
	@false

.PHONY: all run test check alone examples bench bench-scaling bench-peers bench-plots gpu-check gpu-bench asan ubsan sanitize tsan matrix soak lint lint-selftest lib install uninstall install-check version clean help
