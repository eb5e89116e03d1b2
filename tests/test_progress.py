#!/usr/bin/env python3
"""Progress of the tools at a terminal, which is a pty here: what is drawn, when, and that nothing of it is left.

    python3 tests/test_progress.py build/examples

Each tool is held up for two seconds, by an input or a reader that waits, or by stopping it: then its bar has records or MB,
and where the size is known a share. Where standard error is no terminal, or standard output is one that is written
meanwhile, nothing is drawn. Ends with 'N passed, N failed'.
"""
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

programs = sys.argv[1]
work = tempfile.mkdtemp()
RECORD = b'@read\n' + b'ACGT' * 25 + b'\n+\n' + b'I' * 100 + b'\n'
BAR = re.compile(rb'\r(\S[^\r]*?) +(?:\[([=> ]{8})\] +(\d+)%  )?(\d+\.\d) (MB|Mb)((?:  [\d.]+[kM]? records?)?)  \d+ M[Bb]/s')
passed = failed = 0


def check(condition, what, seen=b''):
    global passed, failed
    passed, failed = passed + bool(condition), failed + (not condition)
    if not condition:
        print('FAILED %s: %r' % (what, seen[-400:]))


def read_all(handle):
    said = b''
    try:
        while True:
            part = os.read(handle, 65536)
            if not part:
                break
            said += part
    except OSError:  # Linux says so where nobody has the other end any more
        pass
    return said


def run(words, feed=None, hold=None, stdout=subprocess.DEVNULL, error_is_terminal=True):
    """What a tool writes to a terminal. feed(pipe) writes its standard input, hold(process) holds it up otherwise."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([os.path.join(programs, words[0]), *words[1:]], stdin=subprocess.PIPE if feed else subprocess.DEVNULL,
                               stdout=theirs if stdout == 'terminal' else stdout,
                               stderr=theirs if error_is_terminal else subprocess.DEVNULL)
    os.close(theirs)
    threads = [threading.Thread(target=act, args=(part,), daemon=True) for act, part in
               ((feed, process.stdin), (hold, process)) if act]
    for thread in threads:
        thread.start()
    said = read_all(ours)
    for thread in threads:
        thread.join()
    os.close(ours)
    return process.wait(), said


def slowly(pipe):
    """Four million bytes with two waits, each longer than until a bar is drawn."""
    with pipe:
        for part in range(3):
            pipe.write(RECORD * 6000)
            pipe.flush()
            if part < 2:
                time.sleep(1.2)


def slow_reader(process):
    """A reader of its standard output who begins late."""
    time.sleep(1.5)
    while process.stdout.read(1 << 20):
        pass


def stopping(path):
    """Stop a process several times, once it has opened the file."""
    def hold(process):
        links = '/proc/%d/fd' % process.pid
        for _ in range(20000):
            try:
                if any(os.readlink(os.path.join(links, name)) == path for name in os.listdir(links)):
                    break
            except OSError:
                pass
        for _ in range(3):
            if process.poll() is None:
                process.send_signal(signal.SIGSTOP)
                time.sleep(1.2)
                process.send_signal(signal.SIGCONT)
                time.sleep(0.002)
    return hold


def drawn(said):
    return [match.groups() for match in BAR.finditer(said)]


def is_clean(said):
    """Nothing of the last bar is left: it was overwritten by blanks, after which the line begins anew."""
    at = max((match.start() for match in BAR.finditer(said)), default=0)
    return re.search(rb'\r {79}\r', said[at + 1:]) is not None


big = os.path.join(work, 'big.fastq')
with open(big, 'wb') as file:
    for _ in range(32):
        file.write(RECORD * 20000)
some = os.path.join(work, 'some.fastq')
with open(some, 'wb') as file:
    file.writelines(RECORD.replace(b'read', b'%d' % number, 1) for number in range(80000))
lines = os.path.join(work, 'big.fa')
with open(lines, 'wb') as file:
    for number in range(64):
        file.write(b'>s%d\n' % number + (b'ACGT' * 15 + b'\n') * 30000)

store = os.path.join(work, 'lines.bst')

# Sizes are not known: no share.
for words in (['fxcount', '-'], ['fxbatch', '--bases', '100', '--no-digest', '-']):
    code, said = run(words, feed=slowly)
    bars = drawn(said)
    check(code == 0 and bars and is_clean(said), '%s draws a bar over a pipe, and cleans it' % words[0], said)
    check(all(bar[1] is None and bar[5] for bar in bars), '%s: records, and no share of what has no size' % words[0], said)

# Sizes are known, and the reader of what is written waits.
for words in (['fxcat', big], ['fxunzip', big]):
    code, said = run(words, hold=slow_reader, stdout=subprocess.PIPE)
    bars = drawn(said)
    check(code == 0 and bars and is_clean(said), '%s draws a bar, and cleans it' % words[0], said)
    check(all(bar[0] == b'big.fastq' and bar[2] and int(bar[2]) <= 100 for bar in bars), '%s: its file, and the share' % words[0], said)
    check(all(bool(bar[5]) == (words[0] == 'fxcat') for bar in bars), '%s: records are counted where they are seen' % words[0], said)
    # At a terminal whose lines it would cut.
    code, said = run([words[0], '-'], feed=slowly, stdout='terminal')
    check(code == 0 and not drawn(said), '%s draws nothing into what it writes' % words[0], said)

# What only takes files, or is slow by itself, is stopped.
for words in (['fxindex', big], ['fxindex', '--fai', lines], ['fxtrain', '--epochs', '1', '--bases', '60', some, some],
              ['fxstore', '-o', store, lines], ['fxstore', '--check', store, '--full', lines]):
    code, said = run(words, hold=stopping(words[-1]))
    check(code == 0 and drawn(said) and is_clean(said), '%s draws a bar, and cleans it' % ' '.join(words[:2]), said)
    check(all((bar[4] == b'Mb') == ('-o' in words) for bar in drawn(said)), '%s: MB of text, or bases' % ' '.join(words[:2]), said)

# Standard output is a terminal, too, and written only when the bar is away.
code, said = run(['fxcount', '-'], feed=slowly, stdout='terminal')
check(drawn(said) and is_clean(said), 'fxcount draws at a terminal that it prints to later', said)
row = re.search(rb'\r {79}\rstandard input\t18000\t1800000\t100', said)
check(row, 'its row begins a clean line', said)

# No terminal.
log = os.path.join(work, 'log')
with open(log, 'wb') as file:
    process = subprocess.Popen([os.path.join(programs, 'fxcount'), '-'], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=file)
    slowly(process.stdin)
    process.wait()
check(os.path.getsize(log) == 0, 'nothing is drawn into a file', open(log, 'rb').read())

for name in os.listdir(work):
    os.remove(os.path.join(work, name))
os.rmdir(work)
print('%d passed, %d failed' % (passed, failed))
sys.exit(failed > 0)
