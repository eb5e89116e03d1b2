#!/usr/bin/env python3
"""hosts.py DIR [PROGRAM...] - programs of others before and after the patches of examples/patches: what both write for the
bundled data and for hard inputs must be the same, byte for byte, but for the differences that tests/hosts.tsv lists with
their reasons. Sources are Debian's: nothing else here fetches anything. A program whose source cannot be had is named as
skipped. DIR takes lists, sources and builds. Ends with `N passed, N failed`.

    python3 tests/hosts.py build/hosts                                              # all of them, 10 minutes, no times
    BENCH_DATA=FOLDER HOSTS_ROUNDS=5 python3 tests/hosts.py build/hosts             # and the table of bench/README.md
    python3 tests/hosts.py build/hosts seqtk bwa                                    # these alone

    BENCH_DATA=FOLDER      what bench/make-data.sh has made: its files are compared too, and these are timed
    HOSTS_ROUNDS=N         time N turns of each; else nothing is timed
    HOSTS_SOURCES=FOLDER   has PACKAGE_VERSION.orig.tar.*: they are taken, and nothing is fetched
    HOSTS_SUITES="a b"     Debian's suites to look in, else bookworm, trixie and sid
    HOSTS_TELL=1           print each hard input: program, kind, case, both exit codes, the end of what is said after the patch
"""
import collections
import concurrent.futures
import gzip
import hashlib
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = os.path.join(TOP, 'examples', 'data')
CASES = os.path.join(TOP, 'tests', 'data', 'semantics')
HEADERS = ('biostream.h', 'examples/gz_over_biostream.h', 'examples/kseq_over_biostream.h')
READS, GENOME, COLI = ('illumina_hiseqx_150bp.fastq.gz', 'human_hg18_chrM_chr20part.bgzf.fasta.gz',
                       'ecoli_536_genome.fasta.gz')
FLAGS = '-O2 -w -I%s -I%s/examples' % (TOP, TOP)
TIMED = ('short.fastq.gz', 'short.fastq.bgzf.gz', 'short.fastq')
SLOW = ('bwa', 'minimap2', 'fastp')  # the first of these alone
PLAIN = {'seqtk': 'nothing to inflate, and every byte is checked', 'vsearch': 'its gzread is not asked'}
LIMIT = 120  # seconds that a run on a hard input may take

# version: what the patch was made for; ways: what it puts in the place of what; build: in the folder of the source; runs:
# arguments, and whether genomes are for them too; slow: what takes the time, where that is not reading.
Host = collections.namedtuple('Host', 'version ways build program prepare runs hard slow')
HOSTS = {
    'seqtk': Host('1.4', 'kseq.h, zlib.h', ['make -s CFLAGS="%s"' % FLAGS], 'seqtk', None,
                  {'size': ('size {input}', True), 'seq': ('seq {input}', True), 'trimfq': ('trimfq {input}', False)},
                  'seq {input}', {}),
    'bwa': Host('0.7.19', 'kseq.h, zlib.h', ['make -s CFLAGS="-g -Wall %s"' % FLAGS], 'bwa', 'index -p {work}/coli {coli}',
                {'mem': ('mem {work}/coli {input}', False)}, 'mem {work}/coli {input}', {'mem': 'aligning'}),
    'minimap2': Host('2.24', 'kseq.h, zlib.h', ['make -s CFLAGS="%s"' % FLAGS], 'minimap2', '-d {work}/coli.mmi {coli}',
                     {'-ax sr': ('-t 1 -ax sr {work}/coli.mmi {input}', False)}, '-t 1 -a {work}/coli.mmi {input}',
                     {'-ax sr': 'aligning'}),
    'fastp': Host('1.0.1', 'a biost_reader for FastqReader', ['make -s CXXFLAGS="-std=c++11 -pthread -MD -MP -Iinc %s"' % FLAGS],
                  'fastp', None, {'': ('-w 1 -i {input} -o out.fq -j out.json -h /dev/null', False)},
                  '-w 1 -A -G -Q -L -i {input} -o out.fq -j out.json -h /dev/null', {'': 'statistics of each base, and filters'}),
    'vsearch': Host('2.30.4', 'zlib.h', ['test -f Makefile || sh autogen.sh', 'test -f Makefile || ./configure -q '
                    '--disable-pdfman --disable-bzip2 CFLAGS="{0}" CXXFLAGS="{0}"'.format(FLAGS), 'make -s'], 'bin/vsearch', None,
                    {'--fastq_filter': ('--threads 1 --fastq_filter {input} --fastq_maxee 1 --fastqout out.fq', False),
                     '--fastx_revcomp': ('--fastx_revcomp {input} --fastaout out.fa', True)},
                    '--threads 1 --fastx_filter {input} --fastq_qmax 93 --fasta_width 0 {vsearch_out}',
                    {'--fastq_filter': 'its own parsing and filter', '--fastx_revcomp': 'its own parsing'}),
}

passed = failed = 0


def check(what, is_right, more=''):
    global passed, failed
    passed, failed = passed + bool(is_right), failed + (not is_right)
    if not is_right:
        print('FAILED %s%s' % (what, more and '\n    ' + more.replace('\n', '\n    ')), flush=True)
    return is_right


def shell(command, folder, log):
    with open(log, 'ab') as to:
        return subprocess.run(command, shell=True, cwd=folder, stdout=to, stderr=to, stdin=subprocess.DEVNULL,
                              check=False).returncode


def bytes_of(path):
    with open(path, 'rb') as file:
        return file.read()


# -- sources ------------------------------------------------------------------------------------------------------------

def archives():
    """Debian's archive, as the machine's own apt has it; none on another system."""
    said = subprocess.run(['apt-get', 'indextargets', '--format', '$(ORIGIN) $(LABEL) $(REPO_URI)', 'Created-By: Packages'],
                          capture_output=True, check=False, text=True).stdout
    return sorted({line.split()[2] for line in said.splitlines() if line.startswith('Debian Debian ')})[:1]


def apt(work):
    """apt-get and apt-cache with lists of their own, of sources alone."""
    folder = os.path.join(work, 'apt')
    for name in ('lists/partial', 'cache/archives/partial'):
        os.makedirs(os.path.join(folder, name), exist_ok=True)
    with open(os.path.join(folder, 'sources.list'), 'w', encoding='utf-8') as to:
        for suite in os.environ.get('HOSTS_SUITES', 'bookworm trixie sid').split():
            for archive in archives():
                to.write('deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' % (archive, suite))
    settings = ('Dir::Etc::sourcelist=%s/sources.list' % folder, 'Dir::Etc::sourceparts=/dev/null',
                'Dir::State::lists=%s/lists' % folder, 'Dir::Cache=%s/cache' % folder, 'Acquire::Languages=none',
                'Acquire::Retries=1', 'APT::Sandbox::User=root')
    return [word for setting in settings for word in ('-o', setting)]


def versions_of(package, tested, options, work):
    """Debian's versions of a package: the one that the patch was made for first, then the newest."""
    if not os.path.exists(os.path.join(work, 'apt', 'updated')):
        if subprocess.run(['apt-get', *options, '-qq', 'update'], capture_output=True, check=False).returncode == 0:
            open(os.path.join(work, 'apt', 'updated'), 'w', encoding='utf-8').close()
    said = subprocess.run(['apt-cache', *options, 'showsrc', package], capture_output=True, check=False, text=True).stdout
    found = sorted(set(re.findall(r'^Version: (.*)$', said, re.M)), reverse=True)
    return sorted(found, key=lambda version: not version.startswith(tested))


def tarballs(name, host, work):
    """(version, tarball) of each source that can be had."""
    given = os.environ.get('HOSTS_SOURCES')
    if given:
        for found in sorted(os.listdir(given)):
            if found.startswith(name + '_') and '.orig.tar.' in found:
                yield found[len(name) + 1:found.index('.orig.tar.')], os.path.join(given, found)
        return
    if shutil.which('apt-get') is None:
        return
    options = apt(work)
    for version in versions_of(name, host.version, options, work):
        folder = os.path.join(work, 'sources', name, version)
        os.makedirs(folder, exist_ok=True)
        if not any('.orig.tar.' in found for found in os.listdir(folder)):
            subprocess.run(['apt-get', *options, '-qq', 'source', '--tar-only', '--download-only', '%s=%s' % (name, version)],
                           cwd=folder, capture_output=True, check=False)
        for found in os.listdir(folder):
            if '.orig.tar.' in found and not found.endswith('.asc'):
                yield version.rsplit('-', 1)[0], os.path.join(folder, found)


def patch_of(name):
    return os.path.join(TOP, 'examples', 'patches', name + '.patch')


def unpack(name, host, work):
    """The version of the first source that the patch fits, unpacked in WORK/NAME/before; or None, and why."""
    why = 'Debian\'s source cannot be had'
    before = os.path.join(work, name, 'before')
    for version, tarball in tarballs(name, host, work):
        stamp = os.path.join(work, name, 'version')
        if os.path.exists(stamp) and bytes_of(stamp) == version.encode():
            return version, ''
        shutil.rmtree(os.path.join(work, name), ignore_errors=True)
        os.makedirs(before)
        subprocess.run(['tar', 'xf', tarball, '--strip-components=1', '-C', before], check=True)
        if shell('patch -s -p1 --dry-run < ' + patch_of(name), before, os.path.join(work, name, 'log.txt')) == 0:
            with open(stamp, 'w', encoding='utf-8') as to:
                to.write(version)
            return version, ''
        why = 'the patch does not fit version %s' % version
    return None, why


def build(name, host, work):
    """Before and after, by the same flags; what lies there already is taken. Returns both programs."""
    folder, log = os.path.join(work, name), os.path.join(work, name, 'log.txt')
    before, after = os.path.join(folder, 'before'), os.path.join(folder, 'after')
    programs = [os.path.join(one, host.program) for one in (before, after)]
    if not os.path.exists(programs[0]) and any(shell(command, before, log) for command in host.build):
        return None
    parts = [patch_of(name)] + [os.path.join(TOP, one) for one in HEADERS]
    stamp = hashlib.sha256(b''.join(bytes_of(path) for path in parts)).hexdigest()
    if not os.path.exists(os.path.join(folder, stamp)):
        shutil.rmtree(after, ignore_errors=True)
        shutil.copytree(before, after, symlinks=True)
        os.remove(programs[1])
        if any(shell(command, after, log) for command in ['patch -s -p1 < ' + patch_of(name)] + host.build):
            return None
        open(os.path.join(folder, stamp), 'w', encoding='utf-8').close()
    return programs


# -- runs ---------------------------------------------------------------------------------------------------------------

Done = collections.namedtuple('Done', 'code output said cpu')


def run(program, arguments, limit=0):
    """In an empty folder, so that both write files of the same names; argv[0] is the same, too. What it writes is its
    standard output and these files. Without a limit the processor time is told."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, '.out'), 'w+b') as out, open(os.path.join(folder, '.said'), 'w+b') as said:
            child = subprocess.Popen([os.path.basename(program)] + arguments, executable=program, cwd=folder,
                                     stdin=subprocess.DEVNULL, stdout=out, stderr=said)
            try:
                if limit:
                    child.wait(limit)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
            cpu = 0.0
            if not limit:
                _, status, usage = os.wait4(child.pid, 0)
                child.returncode, cpu = os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime
        texts = {name: bytes_of(os.path.join(folder, name)) for name in os.listdir(folder)}
        said = texts.pop('.said').decode('utf-8', 'replace')
    return Done(child.returncode, texts, said, cpu)


def words(template, work, name, **more):
    return template.format(work=os.path.join(work, name), coli=os.path.join(DATA, COLI), **more).split()


def inputs(work):
    """(path, whether it is of genomes) of the bundled data, and of BENCH_DATA."""
    plain = os.path.join(work, 'reads.fastq')
    if not os.path.exists(plain):
        with gzip.open(os.path.join(DATA, READS)) as text, open(plain, 'wb') as to:
            to.write(text.read())
    found = [(plain, False)]
    found += [(os.path.join(DATA, name), '.fasta' in name) for name in sorted(os.listdir(DATA)) if '.fast' in name]
    folder = os.environ.get('BENCH_DATA')
    for name in TIMED + ('genome.fa.gz', 'nova.fastq.gz') if folder else ():
        if os.path.exists(os.path.join(folder, name)):
            found.append((os.path.join(folder, name), name.startswith('genome')))
    return found


def hard_inputs(work):
    """The cases of tests/data/semantics, and reads that are damaged or written in another way."""
    folder = os.path.join(work, 'hard')
    os.makedirs(folder, exist_ok=True)
    with gzip.open(os.path.join(DATA, READS)) as text:
        lines = text.read().split(b'\n')[:8000]
    text = b'\n'.join(lines) + b'\n'
    whole = gzip.compress(text, 6, mtime=0)
    blocks = bytes_of(os.path.join(DATA, READS.replace('.fastq', '.bgzf.fastq')))
    middle, half = len(whole) // 2, text.index(b'\n@', len(text) // 2) + 1
    plus = lines[:4002] + [b'+and more'] + lines[4003:]
    uneven = lines[:4003] + [lines[4003][:-1]] + lines[4004:]
    made = {
        'whole.fq.gz': whole, 'cut.fq.gz': whole[:middle], 'no_trailer.fq.gz': whole[:-8], 'empty.fq.gz': b'',
        'flipped.fq.gz': whole[:middle] + bytes([whole[middle] ^ 16]) + whole[middle + 1:], 'bytes_after.fq.gz': whole + b'more',
        'zeros_after.fq.gz': whole + bytes(512),
        'members.fq.gz': gzip.compress(text[:half], mtime=0) + gzip.compress(text[half:], mtime=0),
        'member_inside_record.fq.gz': gzip.compress(text[:half + 100], mtime=0) + gzip.compress(text[half + 100:], mtime=0),
        'bgzf_cut.fq.gz': blocks[:len(blocks) // 2], 'bgzf_no_end.fq.gz': blocks[:-28], 'crlf.fq': text.replace(b'\n', b'\r\n'),
        'crlf.fq.gz': gzip.compress(text.replace(b'\n', b'\r\n'), mtime=0), 'plus.fq': b'\n'.join(plus) + b'\n',
        'uneven.fq': b'\n'.join(uneven) + b'\n', 'cut.fq': text[:half + 200], 'no_end.fq': text[:-1], 'empty.fq': b'',
    }
    for name, data in made.items():
        with open(os.path.join(folder, name), 'wb') as to:
            to.write(data)
    found = [os.path.join(CASES, part, name) for part in ('fastx', 'gzip')
             for name in sorted(os.listdir(os.path.join(CASES, part)))]
    return found + [os.path.join(folder, name) for name in sorted(made)] + [os.path.join(folder, 'not_there.fq')]


def kind_of(name, before, after):
    """How a run after the patch differs: in its output, and in whether it fails. What fastp has written when it fails is up
    to its threads."""
    if name == 'fastp' and after.code:
        output = 'any'
    elif after.output == before.output:
        output = 'equal'
    else:
        pairs = [(before.output.get(file, b''), after.output.get(file, b''))
                 for file in before.output.keys() | after.output.keys() if file != 'out.json']
        output = ('equal' if all(theirs == ours for theirs, ours in pairs) else
                  'more' if all(ours.startswith(theirs) for theirs, ours in pairs) else
                  'less' if all(theirs.startswith(ours) for theirs, ours in pairs) else 'other')
    codes = '' if (after.code != 0) == (before.code != 0) else ' error' if after.code else ' no error'
    told = re.search(r'(line|byte|record) [0-9]', after.said) and not re.search(r'(line|byte|record) [0-9]', before.said)
    return output + (codes or (' told' if told else ''))


def case_of(path):
    name = os.path.basename(path)
    return name.split('_')[0] if CASES in path else name


def hard(name, host, programs, work):
    """Each hard input, before and after. What differs must be what hosts.tsv lists."""
    wanted, found = {}, {}
    with open(os.path.join(TOP, 'tests', 'hosts.tsv'), encoding='utf-8') as table:
        for line in table:
            row = line.rstrip('\n').split('\t')
            if name in row[0].split():
                wanted.update((case, row[1]) for case in row[2].split())
    paths = [path for path in hard_inputs(work) if name != 'fastp' or not path.endswith('.fa')]  # it reads FASTQ alone

    def both(path):
        out = '--fastaout out.fa' if path.endswith('.fa') else '--fastqout out.fq'
        arguments = words(host.hard, work, name, input=path, vsearch_out=out)
        return [run(program, arguments, LIMIT) for program in programs]
    with concurrent.futures.ThreadPoolExecutor(12) as pool:  # fastp sleeps for seconds in each run
        done = list(pool.map(both, paths))
    for path, (before, after) in zip(paths, done):
        case, kind = case_of(path), kind_of(name, before, after)
        found[case] = kind
        if os.environ.get('HOSTS_TELL'):
            print(name, kind, case, before.code, after.code, after.said.strip().replace('\n', ' | ')[-200:], sep='\t')
        check('%s: %s: %s, and not %s' % (name, case, kind, wanted.get(case, 'equal')), kind == wanted.get(case, 'equal'),
              after.said[-400:])
    counts = collections.Counter(found.values())
    print('%s: %d hard inputs: %s' % (name, len(found), ', '.join('%d %s' % (counts[kind], kind) for kind in sorted(counts))),
          flush=True)


def prepare(name, host, programs, work):
    """An index of the genome: both make the same."""
    made = []
    for program in programs:
        run(program, words(host.prepare, work, name))
        folder = os.path.join(work, name)
        made.append([bytes_of(os.path.join(folder, one)) for one in sorted(os.listdir(folder)) if one.startswith('coli')])
    check('%s: the index is equal' % name, made[0] == made[1] and made[0])


def same(name, host, programs, work):
    """Every run over every good input writes the same, and ends with 0."""
    for path, is_genome in inputs(work):
        for label, (template, takes_genomes) in host.runs.items():
            if is_genome and not takes_genomes or name in SLOW and DATA not in path and not path.endswith(TIMED[0]):
                continue
            before, after = [run(program, words(template, work, name, input=path)) for program in programs]
            check('%s %s %s: outputs are equal' % (name, label, os.path.basename(path)),
                  before.code == after.code == 0 and before.output == after.output and any(before.output.values()),
                  after.said[-400:])


def times(name, version, host, programs, work, rounds):
    """Rows of the table: medians of the processor time of all threads, in turns."""
    patch = bytes_of(patch_of(name)).decode()
    timed = (TIMED[:1] if name in SLOW else TIMED) if os.environ.get('BENCH_DATA') else (READS,)
    lines = '+%d -%d' % (len(re.findall(r'^\+(?!\+\+ )', patch, re.M)), len(re.findall(r'^-(?!-- )', patch, re.M)))
    rows = []
    for path, is_genome in inputs(work):
        if is_genome or os.path.basename(path) not in timed:
            continue
        for label, (template, _) in host.runs.items():
            arguments = words(template, work, name, input=path)
            spent = {program: [] for program in programs}
            for turn in range(rounds):
                for program in programs if turn % 2 else programs[::-1]:
                    spent[program].append(run(program, arguments).cpu)
            before, after = [statistics.median(spent[program]) for program in programs]
            rows.append('| %s %s | %s | %s | %s | %s | %.2f | %.2f | %.2f | %s |' % (
                name, version, host.ways, lines, os.path.basename(path), label, before, after, before / after,
                (not path.endswith('.gz') and PLAIN.get(name)) or host.slow.get(label, '')))
            print(rows[-1], flush=True)
    return rows


def main():
    if len(sys.argv) < 2 or any(name not in HOSTS for name in sys.argv[2:]):
        sys.exit(__doc__)
    work = os.path.abspath(sys.argv[1])
    os.makedirs(work, exist_ok=True)
    rounds = int(os.environ.get('HOSTS_ROUNDS', '0'))
    rows, skipped = [], 0
    for name in sys.argv[2:] or HOSTS:
        host = HOSTS[name]
        version, why = unpack(name, host, work)
        if version is None:
            print('skipped: %s: %s' % (name, why), flush=True)
            skipped += 1
            continue
        programs = build(name, host, work)
        if not check('%s %s is built, before and after' % (name, version), programs, 'see %s/%s/log.txt' % (work, name)):
            continue
        if host.prepare:
            prepare(name, host, programs, work)
        same(name, host, programs, work)
        hard(name, host, programs, work)
        if rounds:
            rows += times(name, version, host, programs, work, rounds)
    if rows:
        print('\n| program | in the place of | lines | input | run | before, s | after, s | ratio | what else takes time |\n'
              '|---|---|--:|---|---|--:|--:|--:|---|')
        print('\n'.join(rows) + '\n')
    print('%d passed, %d failed, %d skipped' % (passed, failed, skipped))
    sys.exit(failed > 0)


if __name__ == '__main__':
    main()
