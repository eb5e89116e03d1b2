#!/usr/bin/env python3
"""mutants.py [NAME=VALUE...] - change biostream.h in many small ways, and see that the tests notice each change.

A mutant is one edit of one place of a function: a comparison that is off by one, a condition that is left out or always
true, a 1 that is not added, two arguments or fields of one type exchanged, a statement left out, another constant. All
mutants are compiled at once into one copy of the header; an environment variable, read once before main, says which of
them is in force. Of each room COUNT are drawn by SEED, and the tests that tests/mutants_rooms.tsv names for the room run
on each, built with AddressSanitizer. A first run without a mutant finds which places each test comes by: only those
tests run on a mutant that can tell.

    ROOM='crc hash'  rooms to draw from; all of that table by default
    COUNT=3          how many of each
    SEED=1           another number draws others
    MUTANT='4 17'    of the same draw only these numbers: after a test was written, or to try one by hand

Each mutant is a line: its number, the room, the header's line, the edit, and what became of it:
    killed by TEST       a check failed, the program crashed or the sanitizer spoke
    killed by time       it ran many times longer than without the mutant
    judged               nothing noticed; tests/mutants_judged.tsv says why the edit changes nothing
    SURVIVED             nothing noticed: write a test, or a row of that table
    SURVIVED, NOT RUN    no test of the room comes by this place
Survivors come once more at the end, with the header's line, the tests that were tried, and how to run one of them. The
last line is `N passed, N failed`: survived have failed. Needs gcc or clang (CC) on a POSIX system.

    mutants.py --self-test    on a header of a few lines: known mutants are killed, known others survive
"""
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

DIR = 'build/mutants'
FLAGS = '-O1 -w -fsanitize=address -fno-omit-frame-pointer -pthread'
# How often each kind is drawn, where a room has it.
WEIGHTS = dict(compare=26, condition=24, statement=20, one=10, swap=10, constant=10)

# Of every translation unit; the places are numbered from 0, and no mutant is -1.
MUTANT_H = '''#ifndef MUTANT_H
#define MUTANT_H
extern int mutant_in_force;
extern unsigned char *mutant_reached;
#define MUTANT(number) (mutant_reached[number] = 1, mutant_in_force == (number))
#endif
'''
MUTANT_C = '''#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
int mutant_in_force = -1;
static unsigned char nowhere[MUTANTS];
unsigned char *mutant_reached = nowhere;
__attribute__((constructor(101))) static void mutant_choose(void) {
    const char *number = getenv("MUTANT"), *path = getenv("MUTANT_REACHED");
    if (number != NULL) {
        mutant_in_force = atoi(number);
    }
    if (path != NULL) {
        int file = open(path, O_RDWR | O_CREAT, 0600);
        void *map = file < 0 || ftruncate(file, MUTANTS) != 0
                        ? MAP_FAILED
                        : mmap(NULL, MUTANTS, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (map == MAP_FAILED) {
            abort();
        }
        mutant_reached = map;
        close(file);
    }
}
'''

# ---- the header as tokens ----

TOKEN = re.compile(r'''
    (?P<comment>/\*.*?\*/|//[^\n]*)
  | (?P<directive>^[ \t]*\#(?:[^\n\\]|\\.|/\*.*?\*/)*)
  | (?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
  | (?P<number>(?:0[xX][0-9a-fA-F]+|\d+\.?\d*(?:[eE][-+]?\d+)?)[uUlLfF]*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<operator>->|\+\+|--|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\.\.\.|[^\s\w])
''', re.X | re.M | re.S)
OPENING, CLOSING = '([{', ')]}'
CONTROL = {'if', 'while', 'for', 'switch', 'do', 'else', 'return', 'goto', 'break', 'continue', 'case', 'default'}
# What waits for a lock or frees one: only ThreadSanitizer sees that it is missing, or nothing goes on.
LOCKS = re.compile(r'_(un)?lock$|_wait|_wake|_signal|_broadcast')


class Token:
    __slots__ = ('kind', 'text', 'start', 'end', 'mate')

    def __init__(self, kind, text, start, end):
        self.kind, self.text, self.start, self.end, self.mate = kind, text, start, end, None


class Mutant:
    """One edit: `pieces` are (start, end, text) in the header, `said` is the edit in words."""

    def __init__(self, kind, said, start, end, pieces):
        self.kind, self.said, self.start, self.end, self.pieces = kind, said, start, end, pieces


class Header:
    def __init__(self, text):
        self.text = text
        self.lines = text.split('\n')
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.rooms = []  # (start, name)
        self.tokens = []
        for match in TOKEN.finditer(text):
            if match.lastgroup == 'comment':
                banner = re.match(r'/\* =+\n(?: \* ---- .*\n \*\n)? \* >>([a-z0-9_]+) ', match.group())
                if banner:
                    self.rooms.append((match.start(), banner.group(1)))
            elif match.lastgroup != 'directive':
                self.tokens.append(Token(match.lastgroup, match.group(), match.start(), match.end()))
        self.match_brackets()
        self.functions = list(self.find_functions())
        self.siblings = self.find_siblings()
        self.parameters = {self.tokens[name].text: self.types_of(name + 1) for name, _, _ in self.functions}

    def match_brackets(self):
        # `extern "C" {` stands in a condition of its own and is closed in another: it is no bracket here.
        tokens, stack = self.tokens, []
        for i, token in enumerate(tokens):
            if token.kind != 'operator':
                continue
            if token.text in OPENING and not (token.text == '{' and i > 0 and tokens[i - 1].text == '"C"'):
                stack.append(i)
            elif token.text in CLOSING and stack:
                if OPENING.index(tokens[stack[-1]].text) == CLOSING.index(token.text):
                    tokens[i].mate = stack.pop()
                    tokens[tokens[i].mate].mate = i

    def find_functions(self):
        """(name, first token of the body, its last) of each: a `{` at the left after `)`."""
        tokens, i = self.tokens, 0
        while i < len(tokens):
            token = tokens[i]
            if token.text == '{' and token.mate is not None:
                if tokens[i - 1].text == ')' and tokens[i - 1].mate is not None:
                    name = tokens[i - 1].mate - 1
                    if tokens[name].kind == 'name':
                        yield name, i, token.mate
                i = token.mate
            i += 1

    def find_siblings(self):
        """Field -> another one of the same type in each struct that has a field of this name."""
        others = {}
        for i, token in enumerate(self.tokens):
            if token.text != 'struct' or self.tokens[min(i + 2, len(self.tokens) - 1)].text != '{':
                continue
            opening = self.tokens[i + 2]
            if opening.mate is None:
                continue
            body = self.text[opening.end:self.tokens[opening.mate].start]
            body = re.sub(r'/\*.*?\*/', '', body, flags=re.S)
            by_type = {}
            for kind, names in re.findall(r'^\s*((?:const )?\w+) ([\w, ]+);', body, re.M):
                by_type.setdefault(kind, []).extend(name.strip() for name in names.split(','))
            for names in by_type.values():
                for at, name in enumerate(names):
                    beside = {names[j] for j in (at - 1, at + 1) if 0 <= j < len(names)}
                    others[name] = others.get(name, beside) & beside
        return {name: sorted(beside)[0] for name, beside in others.items() if beside}

    def split(self, opening):
        """The ranges of tokens between the commas of a pair of brackets."""
        tokens, first, i, ranges = self.tokens, opening + 1, opening + 1, []
        while i < tokens[opening].mate:
            if tokens[i].text in OPENING and tokens[i].mate is not None:
                i = tokens[i].mate
            elif tokens[i].text == ',':
                ranges.append((first, i - 1))
                first = i + 1
            i += 1
        return ranges + [(first, i - 1)] if i > first else ranges

    def types_of(self, opening):
        types = []
        for first, last in self.split(opening):
            words = [token.text for token in self.tokens[first:last + 1] if token.text != 'const']
            types.append(' '.join(words[:-1]))
        return types

    def line_of(self, at):
        low, high = 0, len(self.starts) - 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.starts[middle] <= at else (low, middle)
        return low + 1

    def room_of(self, at):
        room = ''
        for start, name in self.rooms:
            if start > at:
                break
            room = name
        return room

    # ---- what can be changed ----

    def mutants(self, first, last):
        """Those of the body between two tokens."""
        found, tokens = [], self.tokens
        skip_until = -1
        for i in range(first + 1, last):
            if i <= skip_until:
                continue
            token = tokens[i]
            if self.begins_statement(i, first):
                end = self.end_of_statement(i)
                texts = [t.text for t in tokens[i:end + 1]]
                if texts[0] in ('case', 'default') or 'ASSERT' in texts[0] or texts[0] == '_Static_assert' or \
                        texts[0] == 'static':
                    skip_until = end
                    continue
                self.add_statement(found, i, end)
            if token.text in ('=', ',', '{') and tokens[i + 1].text == '{' and tokens[i + 1].mate is not None:
                skip_until = tokens[i + 1].mate  # numbers of a table
                continue
            if token.text == 'sizeof' and tokens[i + 1].text == '(':
                skip_until = tokens[i + 1].mate
                continue
            if token.text in ('if', 'while') and tokens[i + 1].text == '(':
                self.add_condition(found, i + 2, tokens[i + 1].mate - 1, True)
            if token.text in ('&&', '||'):
                self.add_operands(found, i)
            if token.text in ('<', '>', '<=', '>=', '==', '!='):
                self.add_compare(found, i)
            if token.kind == 'number':
                self.add_number(found, i)
            if token.kind == 'name':
                self.add_name(found, i)
            if token.text == '(' and tokens[i - 1].kind == 'name':
                self.add_arguments(found, i)
        return found

    def begins_statement(self, i, first):
        before = self.tokens[i - 1]
        if self.tokens[i].text in OPENING + CLOSING + ';':
            return False
        if before.text in (';', '{', '}'):
            # Not in the brackets of a `for`, nor of a table.
            return not self.in_round(i, first)
        return False

    def in_round(self, i, first):
        i -= 1
        while i > first:
            text = self.tokens[i].text
            if text in CLOSING and self.tokens[i].mate is not None:
                i = self.tokens[i].mate
            elif text in '([':
                return True
            elif text == '{':
                return self.tokens[i - 1].text in ('=', ',', '{') and self.tokens[i].mate is not None and \
                    self.tokens[self.tokens[i].mate + 1].text in (',', ';', '}')
            i -= 1
        return False

    def end_of_statement(self, i):
        while self.tokens[i].text not in (';', '}') and i < len(self.tokens) - 1:
            if self.tokens[i].text == ':' and self.tokens[i - 1].text != '?' and '?' not in self.tokens[i - 2].text:
                if any(t.text in ('case', 'default') for t in self.tokens[max(0, i - 4):i]):
                    return i
            if self.tokens[i].text in OPENING and self.tokens[i].mate is not None:
                i = self.tokens[i].mate
            i += 1
        return i

    def code(self, first, last):
        return ' '.join(self.text[self.tokens[first].start:self.tokens[last].end].split())

    def add(self, found, kind, said, first, last, pieces):
        found.append(Mutant(kind, said, self.tokens[first].start, self.tokens[last].end, pieces))

    def around(self, first, last, before, after):
        start, end = self.tokens[first].start, self.tokens[last].end
        return [(start, start, before), (end, end, after)]

    def add_statement(self, found, i, end):
        tokens = self.tokens
        if tokens[i].text in CONTROL or tokens[i].kind == 'operator' and tokens[i].text not in ('*', '++', '--'):
            return
        if tokens[i].kind == 'name' and (tokens[i + 1].kind == 'name' or
                                         tokens[i + 1].text == '*' and tokens[i].text not in (')', ']')):
            return  # a declaration
        called = [tokens[k].text for k in range(i, end) if tokens[k + 1].text == '(']
        if any(LOCKS.search(name) for name in called) or tokens[end].text != ';':
            return
        self.add(found, 'statement', 'left out: ' + self.code(i, end), i, end,
                 self.around(i, end, 'if (!@) { ', ' }'))

    def add_condition(self, found, first, last, alone):
        said = self.code(first, last)
        self.add(found, 'condition', 'always: ' + said, first, last, self.around(first, last, '@ || (', ')'))
        self.add(found, 'condition', 'never: ' + said, first, last, self.around(first, last, '!@ && (', ')'))

    def add_operands(self, found, i):
        tokens = self.tokens
        stops = {'&&', '||', ',', ';', '=', '?', ':', 'return', '{', '}', '|=', '&=', '+='}
        first = i
        while tokens[first - 1].text not in stops and tokens[first - 1].text not in '([':
            first = tokens[first - 1].mate if tokens[first - 1].text in CLOSING else first - 1
        last = i
        while tokens[last + 1].text not in stops and tokens[last + 1].text not in ')]':
            last = tokens[last + 1].mate if tokens[last + 1].text in OPENING else last + 1
        put = ('(@ || (', '))') if tokens[i].text == '&&' else ('(!@ && (', '))')
        if tokens[first - 1].text not in ('&&', '||') and first < i:
            self.add(found, 'condition', 'left out: %s %s' % (self.code(first, i - 1), tokens[i].text), first, i - 1,
                     self.around(first, i - 1, *put))
        self.add(found, 'condition', 'left out: %s %s' % (tokens[i].text, self.code(i + 1, last)), i + 1, last,
                 self.around(i + 1, last, *put))

    def add_compare(self, found, i):
        token = self.tokens[i]
        other = {'<': '<=', '>=': '>', '>': '>=', '<=': '<', '==': '== 1 +', '!=': '!= 1 +'}[token.text]
        left = token.text in ('>', '<=')
        at = token.start if left else token.end
        self.add(found, 'compare', '%s becomes %s %s' % (self.code(i - 1, i + 1), other, self.tokens[i + 1].text),
                 i - 1, i + 1, [(at, at, '+ @ ' if left else ' @ +')])

    def add_number(self, found, i):
        tokens = self.tokens
        token, before, value = tokens[i], tokens[i - 1], tokens[i].text.rstrip('uUlLfF')
        if self.is_bound(i) or '_mm' in self.lines[self.line_of(token.start) - 1]:
            return
        ends_operand = tokens[i - 2].kind in ('name', 'number') or tokens[i - 2].text in (')', ']')
        if value == '1' and before.text in ('+', '-') and ends_operand and tokens[i - 2].text != 'return':
            self.add(found, 'one', 'not %s: %s' % ('added' if before.text == '+' else 'subtracted', self.code(i - 2, i)),
                     i, i, [(token.start, token.end, '(%s - @)' % token.text)])
        else:
            self.add(found, 'constant', '%s becomes %s + 1' % (self.code(i - 1, i), token.text), i, i,
                     [(token.start, token.end, '(%s + @)' % token.text)])

    def is_bound(self, i):
        """Whether the number is one of a declared array."""
        tokens = self.tokens
        while i > 0 and tokens[i].text not in (';', '{', '}', '(', '['):
            i -= 1
        if tokens[i].text != '[':
            return False
        while i > 0 and tokens[i - 1].text not in (';', '{', '}', '(', '='):
            i -= 1
        return tokens[i].kind == 'name' and (tokens[i + 1].kind == 'name' or tokens[i + 1].text == '*')

    def add_name(self, found, i):
        tokens = self.tokens
        name, before, after = tokens[i].text, tokens[i - 1].text, tokens[i + 1].text
        if re.fullmatch(r'(BSI|BIOST)_[A-Z0-9_]+', name) and after != '(' and not self.is_bound(i) and \
                '_mm' not in self.lines[self.line_of(tokens[i].start) - 1]:
            self.add(found, 'constant', '%s becomes %s + 1' % (name, name), i, i,
                     [(tokens[i].start, tokens[i].end, '(%s + @)' % name)])
        sibling = self.siblings.get(name)
        if before in ('->', '.') and sibling is not None and after != '(':
            first = i - 1
            while tokens[first - 1].kind == 'name' or tokens[first - 1].text in ('->', '.', ')', ']'):
                if tokens[first - 1].text in ('return', 'sizeof'):
                    break
                first = tokens[first - 1].mate if tokens[first - 1].text in ')]' else first - 1
                if tokens[first].kind == 'name' and tokens[first - 1].text not in ('->', '.'):
                    break
                if tokens[first].text == '(' and tokens[first - 1].kind != 'name':
                    break
            if tokens[first].kind == 'name' or tokens[first].text == '(':
                chain = self.text[tokens[first].start:tokens[i - 1].end]
                self.add(found, 'swap', '%s becomes %s' % (self.code(first, i), sibling), first, i,
                         [(tokens[first].start, tokens[i].end,
                           '(*(@ ? &%s%s : &%s%s))' % (chain, sibling, chain, name))])

    def add_arguments(self, found, opening):
        types = self.parameters.get(self.tokens[opening - 1].text)
        if types is None or self.tokens[opening].mate is None:
            return
        ranges = self.split(opening)
        for at in range(len(ranges) - 1):
            if len(ranges) != len(types) or types[at] != types[at + 1]:
                continue
            (a, b), (c, d) = ranges[at], ranges[at + 1]
            one, two = self.text[self.tokens[a].start:self.tokens[b].end], self.text[self.tokens[c].start:self.tokens[d].end]
            calls = one + two
            if one == two or '++' in calls or '--' in calls or 'NULL' in calls or '"' in calls:
                continue
            self.add(found, 'swap', 'exchanged: %s and %s of %s' % (self.code(a, b), self.code(c, d),
                                                                  self.tokens[opening - 1].text), a, d,
                     [(self.tokens[a].start, self.tokens[d].end,
                       '(@ ? (%s) : (%s)), (@ ? (%s) : (%s))' % (two, one, one, two))])


def draw(header, rooms, count, seed, live, known):
    """COUNT mutants of each room on lines that the compiler sees, no two in one place."""
    by_room = {}
    for _, first, last in header.functions:
        room = header.room_of(header.tokens[first].start)
        if room in rooms:
            by_room.setdefault(room, []).extend(header.mutants(first, last))
    drawn = []
    for room in rooms:
        chance = random.Random('%s %s' % (seed, room))
        found = [m for m in by_room.get(room, []) if header.line_of(m.start) in live and m.said not in known]
        taken = []
        while len(taken) < count and found:
            kinds = sorted({m.kind for m in found})
            kind = chance.choices(kinds, [WEIGHTS[k] for k in kinds])[0]
            mutant = chance.choice([m for m in found if m.kind == kind])
            found = [m for m in found if m.end <= mutant.start or m.start >= mutant.end]
            mutant.room = room
            mutant.line = header.line_of(mutant.start)
            mutant.last_line = header.line_of(mutant.end - 1)
            taken.append(mutant)
        drawn += sorted(taken, key=lambda m: m.start)
    for number, mutant in enumerate(drawn):
        mutant.number = number
    return drawn


def mutated(header, mutants):
    """The header with all of them in it; each line stays where it is."""
    pieces = []
    for mutant in mutants:
        for start, end, text in mutant.pieces:
            text = text.replace('@', 'MUTANT(%d)' % mutant.number)
            if start < end:  # a replaced part may go over lines
                lost = header.text.count('\n', start, end)
                text = ' '.join(text.split()) + '\n' * lost
            pieces.append((start, end, text))
    pieces.sort()
    out, at = [], 0
    for start, end, text in pieces:
        out += [header.text[at:start], text]
        at = end
    return ''.join(out + [header.text[at:]])


# ---- building and running ----

def table(path, columns):
    rows = []
    with open(path) as lines:
        for line in lines:
            if line.strip() and not line.startswith('#'):
                rows.append(line.rstrip('\n').split('\t'))
                if len(rows[-1]) != columns:
                    sys.exit('%s: not %d columns: %s' % (path, columns, line))
    return rows


def say(text):
    print(text, flush=True)


class Bench:
    """A copy of the tree in which biostream.h is the one with mutants; all else are links."""

    def __init__(self, source, cc, self_test=None):
        self.source, self.cc, self.tree = source, cc.split(), os.path.abspath(DIR if self_test is None else self_test)
        os.makedirs(self.tree + '/tests', exist_ok=True)
        os.makedirs(self.tree + '/build', exist_ok=True)
        for name in set(os.listdir(source)) - {'biostream.h', 'build', 'tests', '.git'}:
            self.link(os.path.join(source, name), os.path.join(self.tree, name))
        for name in os.listdir(os.path.join(source, 'tests')):
            self.link(os.path.join(source, 'tests', name), os.path.join(self.tree, 'tests', name))
        self.libs = []
        self.flags = FLAGS.split()
        for define, program, libs in (('-DHAVE_ZLIB', '#include <zlib.h>\nint main(void) { return !zlibVersion(); }', ['-lz']),
                                      ('-DHAVE_KSEQ', '#include <htslib/kseq.h>\nint main(void) { return 0; }', [])):
            if subprocess.run(self.cc + ['-x', 'c', '-', '-o', '/dev/null'] + libs, input=program.encode(),
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
                self.flags.append(define)
                self.libs += libs
        self.write('mutant.h', MUTANT_H)
        self.write('mutant.c', MUTANT_C)
        self.white = {}  # test -> the program it is part of
        for name in sorted(os.listdir(self.tree + '/tests')):
            if re.fullmatch(r'white_\w+\.c', name):
                with open(self.tree + '/tests/' + name) as lines:
                    for part in re.findall(r'^#include "test_(\w+)\.c"$', lines.read(), re.M):
                        self.white[part] = name[:-2]

    def link(self, target, path):
        target = os.path.abspath(target)
        if os.path.exists(target) and not (os.path.islink(path) and os.readlink(path) == target):
            if os.path.lexists(path):
                os.remove(path)
            os.symlink(target, path)

    def write(self, name, text):
        """Only where it is another text: what was built of the same is kept."""
        path = os.path.join(self.tree, name)
        if not os.path.exists(path) or open(path).read() != text:
            with open(path, 'w') as out:
                out.write(text)

    def live_lines(self):
        """The lines of the header that the preprocessor lets through."""
        done = subprocess.run(self.cc + ['-E', '-DBIOSTREAM_IMPLEMENTATION', '-x', 'c', self.source + '/biostream.h'],
                              stdout=subprocess.PIPE, check=True)
        live, line, here = set(), 0, False
        for text in done.stdout.decode().split('\n'):
            marker = re.match(r'# (\d+) "(.*?)"', text)
            if marker:
                line, here = int(marker.group(1)), marker.group(2).endswith('/biostream.h')
                continue
            if here and text.strip():
                live.add(line)
            line += 1
        return live

    def is_made(self, output, command):
        """Whether the output is newer than what it was made of, by the same command."""
        try:
            when = os.path.getmtime(output)
            with open(output + '.d') as rule:
                needs = rule.read().replace('\\\n', ' ').split(':', 1)[1].split()
            needs += [part for part in command if part.endswith('.o') and part != output]
            with open(output + '.how') as how:
                return how.read() == ' '.join(command) and \
                    all(os.path.getmtime(os.path.join(self.tree, need)) < when for need in needs)
        except (OSError, IndexError):
            return False

    def compile(self, output, arguments):
        """What the compiler says that is an error, or nothing. Run in the tree, so that names stay short."""
        output = os.path.join(self.tree, output)
        command = self.cc + self.flags + ['-include', self.tree + '/mutant.h', '-MMD', '-MF', output + '.d'] + arguments + \
            ['-o', output]
        if self.is_made(output, command):
            return ''
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=self.tree)
        if done.returncode != 0:
            return done.stdout.decode(errors='replace') or 'the compiler failed'
        with open(output + '.how', 'w') as how:
            how.write(' '.join(command))
        return ''

    def object_of(self, test):
        """The implementation that a test is linked with, as tests/rules.sh chooses it; none is inside."""
        with open('%s/tests/test_%s.c' % (self.tree, test)) as lines:
            text = lines.read()
        if re.search(r'^#include "(hooks|failing)\.h"', text, re.M):
            return 'hooked'
        return 'implementation' if re.search(r'^#include "(\.\./biostream|peeks)\.h"', text, re.M) else None

    def program_of(self, test):
        return self.white.get(test, 'test_' + test)

    def build(self, tests):
        """What went wrong, if anything."""
        error = self.compile('mutant.o', ['-c', 'mutant.c', '-DMUTANTS=%d' % self.count])
        objects = sorted({self.object_of(test) for test in tests if test not in self.white} - {None})
        for name in objects:
            error = error or self.compile(name + '.o', ['-c', 'tests/%s.c' % name])
        for program in sorted({self.program_of(test) for test in tests}):
            linked = None if program.startswith('white_') else self.object_of(program[5:])
            error = error or self.compile(program, ['tests/%s.c' % program, 'mutant.o'] +
                                          ([linked + '.o'] if linked else []) + self.libs + ['-lm', '-ldl'])
        return error

    def command(self, test):
        program = './' + self.program_of(test)
        return [program, '--file', 'test_' + test] if test in self.white else [program]

    def run(self, test, number, limits, reached=None):
        """(what failed or '', seconds, of them of the processor); ends with the first failed check."""
        environment = dict(os.environ, MUTANT=str(number), ASAN_OPTIONS='hard_rss_limit_mb=4000:allocator_may_return_null=1')
        environment.pop('MUTANT_REACHED', None)
        if reached is not None:
            environment['MUTANT_REACHED'] = reached
        seconds, of_processor = limits
        begun = time.monotonic()
        process = subprocess.Popen(self.command(test), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   stdin=subprocess.DEVNULL, cwd=self.tree, env=environment, start_new_session=True,
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (of_processor, of_processor + 5)))
        os.set_blocking(process.stdout.fileno(), False)
        what, running, rest, used = '', '', b'', 0
        while what == '':
            over = time.monotonic() - begun > seconds
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
            rest += process.stdout.read() or b''
            *lines, rest = rest.split(b'\n')
            for line in lines:
                line = line.decode(errors='replace')
                running = line[4:] if line.startswith('run ') else running
                if ': failed: ' in line or line.startswith('FAILED') or 'ERROR: AddressSanitizer' in line:
                    what = what or '%s (%s)' % (test, running or line[:60])
            if ended:
                process.returncode = status
                used = usage.ru_utime + usage.ru_stime
                if status != 0 and what == '':
                    by_time = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU
                    what = '%s%s (%s)' % ('time: ' if by_time else '', test, running)
                break
            if what == '' and over:
                what = 'time: %s (%s)' % (test, running)
            time.sleep(0.02)
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        process.stdout.close()
        return what, time.monotonic() - begun, used


def limits_of(seconds, of_processor):
    """Of a run with a mutant, after one without: by the clock, which goes on while others work, for what waits for ever;
    by the processor, for what goes round for ever."""
    return int(60 + 20 * seconds), int(10 + 4 * of_processor)


def make(bench, header, drawn, tests):
    """Build with all mutants that compile; one that does not is dropped. The mutants that are in."""
    bench.count = max(1, len(drawn))
    inside = list(drawn)
    for _ in range(12):
        bench.write('biostream.h', mutated(header, inside))
        error = bench.build(tests)
        if not error:
            return inside
        lines = {int(n) for n in re.findall(r'biostream\.h:(\d+):\d+: error', error)} | \
            {int(n) for n in re.findall(r'biostream\.h:(\d+):\d+:[^\n]*\n[^\n]*error', error)}
        wrong = [m for m in inside if any(m.line <= n <= m.last_line for n in lines)]
        if not wrong:
            sys.exit('mutants: the tests do not compile:\n' + error[:3000])
        for mutant in wrong:
            say('%4d %-10s line %d: does not compile: %s' % (mutant.number, mutant.room, mutant.line, mutant.said))
            inside.remove(mutant)
    sys.exit('mutants: too many do not compile')


def judge(bench, header, settings, rooms, judged, known=frozenset()):
    """Draw, but none of the edits that are known; build and run; (mutant, state, what killed it, tests tried)."""
    names = settings['ROOM'].split() or list(rooms)
    for name in names:
        if name not in rooms:
            sys.exit('mutants: no room %s in the table of tests' % name)
    drawn = draw(header, names, int(settings['COUNT']), settings['SEED'], bench.live_lines(), known)
    tests = sorted({test for name in names for test in rooms[name]})
    begun = time.monotonic()
    inside = make(bench, header, drawn, tests)
    say('%d mutants of %d rooms in %d tests, built in %d s' % (len(inside), len(names), len(tests), time.monotonic() - begun))

    chosen = {int(n) for n in settings['MUTANT'].split()} or {m.number for m in inside}
    comes_by, seconds, of_processor = {}, {}, {}

    def run_without(test):
        path = os.path.join(bench.tree, 'reached')
        if os.path.exists(path):
            os.remove(path)
        failed, seconds[test], of_processor[test] = bench.run(test, -1, (1800, 900), path)
        with open(path, 'rb') as marks:
            comes_by[test] = marks.read()
        if failed:
            say('FAILED without a mutant, so it is not run on any: ' + failed)
            comes_by[test] = bytes(bench.count)

    results = []
    for mutant in inside:
        if mutant.number not in chosen:
            continue
        for test in rooms[mutant.room]:
            if test not in comes_by:
                run_without(test)
        tried = sorted((test for test in rooms[mutant.room] if comes_by[test][mutant.number]), key=seconds.get)
        by = ''
        for test in tried:
            by = bench.run(test, mutant.number, limits_of(seconds[test], of_processor[test]))[0]
            if by:
                break
        text = header.lines[mutant.line - 1].strip()
        if by:
            state = 'killed'
        elif (mutant.room, text, mutant.said) in judged:
            state = 'judged'
        else:
            state = 'SURVIVED' if tried else 'SURVIVED, NOT RUN'
        results.append((mutant, state, by, tried))
        say('%4d %-10s line %d: %s: %s%s' % (mutant.number, mutant.room, mutant.line, mutant.said, state,
                                            ' by ' + by if by else ''))
    return results


def report(bench, header, results):
    count = {state: sum(1 for r in results if r[1] == state) for state in ('killed', 'judged')}
    left = [r for r in results if r[1].startswith('SURVIVED')]
    for mutant, state, _, tried in left:
        say('\n%s: mutant %d of room %s' % (state, mutant.number, mutant.room))
        say('    biostream.h:%d: %s' % (mutant.line, header.lines[mutant.line - 1].strip()))
        say('    ' + mutant.said)
        say('    tests: ' + (' '.join(tried) or 'none comes by'))
        if tried:
            say('    try:   (cd %s && MUTANT=%d %s)' % (os.path.relpath(bench.tree), mutant.number,
                                                     ' '.join(bench.command(tried[0]))))
    say('\n%d mutants: %d killed, %d judged, %d survived' % (len(results), count['killed'], count['judged'], len(left)))
    say('%d passed, %d failed' % (count['killed'] + count['judged'], len(left)))
    return 1 if left else 0


# ---- the self-test ----

SMALL = '''#include <stddef.h>
/* ==========
 * >>small   a room of few lines
 * ========== */
#ifdef NEVER_DEFINED
static int small_unseen(int a) { return a + 1; }
#endif
/* Not to be touched: 2 < 3. */
static const int small_table[3] = {2, 3, 5};
static int small_count(int n) {
    int i, sum = 0;
    for (i = 0; i < n; ++i) {
        sum += small_table[i];
    }
    return sum;
}
static int small_most(int a, int b) {
    if (a > b) {
        return a;
    }
    return b;
}
static int small_unused(int a) {
    return a + 1;
}
'''
SMALL_TEST = '''#include "white.h"
#include "test.h"
TEST(small, sums) {
    CHECK_EQ_I64(small_count(3), 10);
    CHECK_EQ_I64(small_count(0), 0);
    CHECK_EQ_I64(small_most(1, 2) * 10 + small_most(4, 3), 24);
}
'''
# What becomes of each mutant that there is; of i < n the sanitizer sees the read behind the table.
SMALL_EXPECTED = {
    'i < n becomes <= n': 'killed',
    '= 0 becomes 0 + 1': 'killed',
    'left out: sum += small_table[i];': 'killed',
    'always: a > b': 'killed',
    'never: a > b': 'killed',
    'a > b becomes >= b': 'judged',
    'not added: a + 1': 'SURVIVED, NOT RUN',
}


def self_test(cc):
    work = os.path.abspath(DIR + '_self')
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work + '/source/tests')
    for name, text in (('biostream.h', SMALL), ('tests/white.h', '#include "../biostream.h"\n'),
                       ('tests/test_small.c', SMALL_TEST)):
        with open(work + '/source/' + name, 'w') as out:
            out.write(text)
    shutil.copy('tests/test.h', work + '/source/tests/test.h')
    bench = Bench(work + '/source', cc, work + '/tree')
    judged = {('small', 'if (a > b) {', 'a > b becomes >= b')}
    states = {}
    # Two of one place are never drawn together, so several draws are needed for all of them.
    for seed in range(3):
        header = Header(SMALL)
        settings = dict(ROOM='', COUNT='20', SEED=str(seed), MUTANT='')
        for mutant, state, _, _ in judge(bench, header, settings, {'small': ['small']}, judged, set(states)):
            states[mutant.said] = state
    passed = sum(1 for said, state in SMALL_EXPECTED.items() if states.get(said) == state)
    for said in sorted(set(states) | set(SMALL_EXPECTED)):
        if states.get(said) != SMALL_EXPECTED.get(said):
            say('FAILED %s: %s, expected %s' % (said, states.get(said), SMALL_EXPECTED.get(said)))
    unknown = len(set(states) - set(SMALL_EXPECTED))
    say('%d passed, %d failed' % (passed, len(SMALL_EXPECTED) - passed + unknown))
    return 0 if passed == len(SMALL_EXPECTED) and not unknown else 1


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
    os.nice(19 - os.nice(0))
    cc = os.environ.get('CC', 'cc')
    if sys.argv[1:] == ['--self-test']:
        return self_test(cc)
    settings = dict(ROOM='', COUNT='3', SEED='1', MUTANT='')
    for argument in sys.argv[1:]:
        name, equals, value = argument.partition('=')
        if not equals or name not in settings:
            sys.exit('mutants: %s is none of ROOM= COUNT= SEED= MUTANT=' % argument)
        settings[name] = value or settings[name]
    rooms = {room: tests.split() for room, tests in table('tests/mutants_rooms.tsv', 2)}
    judged = {(room, line, said) for room, line, said, _ in table('tests/mutants_judged.tsv', 4)}
    with open('biostream.h') as lines:
        header = Header(lines.read())
    bench = Bench('.', cc)
    return report(bench, header, judge(bench, header, settings, rooms, judged))


if __name__ == '__main__':
    sys.exit(main())
