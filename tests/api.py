#!/usr/bin/env python3
"""The description of the API for other languages, made from the headers themselves: what `make api` writes.

    python3 tests/api.py FOLDER             FOLDER/biostream.json, and from it biostream_sys.rs and layout.rs for Rust
    python3 tests/api.py check FOLDER       hold them against what tests/public.awk lists, and Python's layer against them

biostream.json has an object with these lists, in the order of the headers; `comment` is the text of the comment that
belongs to a name, `above` that of one that stands before a field or value on lines of its own, `layer` "loader" where
BIOSTREAM_NO_LOADER leaves it out:

    macros      name, text, parameters (null: none are taken), comment
    enums       name (null: it has none), comment, values: name, value, comment, above
    structs     name, comment, fields: name, type, count (elements of an array, as numbers, outermost first), comment,
                above; of a struct without a name inside it `fields` in the place of type
    types       name, text, comment: structs whose fields are not public, and other typedefs
    functions   name, returns, parameters: name, type; comment, layer

A type is written as C has it, as `const char *const *`; of a function pointer it is `RETURNS (*)(PARAMETERS)`.
"""
import ast
import json
import os
import re
import subprocess
import sys

HEADERS = 'biostream.h', 'biostream_cuda.h'
TOKEN = re.compile(r'(?P<comment>/\*.*?\*/)|(?P<line>^#(?:[^\n\\]|\\\n|\\.)*)|(?P<word>\w+)|(?P<space>\s+)|(?P<mark>"[^"]*"|.)',
                   re.S | re.M)


def plain(comment):
    """The text of a comment, its lines without what is before them."""
    lines = [re.sub(r'^\s*\*? ?', '', line).rstrip() if at else line.strip() for at, line in
             enumerate(comment[2:-2].split('\n'))]
    if len(lines) > 1 and not lines[0]:  # a block: it keeps its columns
        return '\n'.join(re.sub(r'^\s*\* ?', '', line).rstrip() for line in comment[2:-2].split('\n')).strip('\n ')
    return ' '.join(line.strip() for line in lines).strip()


def joined(words):
    """Words of C with blanks where C's style has them."""
    text = re.sub(r'\s+([,;)\]])', r'\1', ' '.join(words))
    text = re.sub(r'([(\[])\s+', r'\1', text)
    text = re.sub(r'\*\s+(?=[\w*])', '*', text).replace('* const', '*const').replace('*const*', '*const *')
    return text.replace(') (', ')(').replace('* (*)', '*(*)')


class Header:
    """What a header promises. Tokens are (kind, text, line); a comment belongs to what ends on its line, else to what
    begins after it."""

    def __init__(self, path, api):
        with open(path, encoding='ascii') as file:
            text = re.split(r'^#if defined\(BIOSTREAM_(?:CUDA_)?IMPLEMENTATION\) && !defined', file.read(), flags=re.M)[0]
        self.api, self.above, self.conditions, line = api, '', [], 1
        self.tokens, self.at = [], 0
        for match in TOKEN.finditer(text):
            if match.lastgroup != 'space':
                self.tokens.append((match.lastgroup, match.group(), line))
            line += match.group().count('\n')
        while self.at < len(self.tokens):
            self.top()

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def take_above(self):
        text, self.above = self.above, ''
        return text

    def beside(self):
        """The comment that begins on the line where the last token ends."""
        kind, text, line = self.tokens[self.at] if self.at < len(self.tokens) else ('', '', 0)
        if kind == 'comment' and line == self.tokens[self.at - 1][2]:
            self.at += 1
            return plain(text)
        return ''

    def top(self):
        kind, text, _ = self.next()
        if kind == 'comment':
            self.above = '' if text.startswith('/* ===') or text.startswith('/* ---') else plain(text)
        elif kind == 'line':
            self.line(text)
        elif text == '}' or (text == 'extern' and self.tokens[self.at][1] == '"C"'):
            self.at += 2 if text == 'extern' else 0
        else:
            self.at -= 1
            self.declaration()

    def line(self, text):
        text = text.replace('\\\n', ' ')
        word = re.match(r'#\s*(\w+)', text).group(1)
        if word in ('if', 'ifdef', 'ifndef'):
            self.conditions.append(text)
            if '__cplusplus' in text:  # C++'s own lines are no part of C's interface
                while not self.next()[1].startswith('#'):
                    pass
                self.at -= 1
        elif word == 'endif':
            self.conditions.pop()
        elif word == 'define':
            text = re.sub(r'\s*/\*.*?\*/', '', text)
            match = re.match(r'#define (BIOST_\w+)(\([^)]*\))?\s*(.*)', text, re.S)
            if match:
                name, parameters, value = match.groups()
                self.api['macros'].append({'name': name, 'text': ' '.join(value.split()),
                                           'parameters': parameters and re.findall(r'\w+', parameters),
                                           'comment': self.take_above() or self.beside()})

    def declaration(self):
        comment, words, depth = self.take_above(), [], 0
        layer = {'layer': 'loader'} if any('BIOST_HAS_LOADER' in c for c in self.conditions) else {}
        while True:
            kind, text, _ = self.next()
            if kind == 'comment':
                continue
            if text == '{':
                if words and words[0] == 'enum' or words[:2] == ['typedef', 'enum']:
                    name = words[-1] if words[-1] != 'enum' else None
                    self.api['enums'].append({'name': name, 'comment': comment, 'values': self.values(), **layer})
                    while self.next()[1] != ';':
                        pass
                    return
                if words[:2] == ['typedef', 'struct']:
                    self.api['structs'].append({'name': words[-1], 'comment': comment, 'fields': self.fields(), **layer})
                    while self.next()[1] != ';':
                        pass
                    return
                depth = 1  # C++'s form of a macro
                while depth:
                    depth += {'{': 1, '}': -1}.get(self.next()[1], 0)
                return
            if text == ';':
                break
            words.append(text)
        comment = comment or self.beside()
        if words[0] == 'BIOST_API':
            words = [word for word in words[1:] if word != 'BIOST_MUST_USE']
            at = words.index('(')
            functions = self.api['functions']
            functions.append({'name': words[at - 1], 'returns': joined(words[:at - 1]),
                              'parameters': self.parameters(words[at + 1:-1]),
                              'comment': comment or functions[-1]['comment'], **layer})  # some share the one before
        elif words:
            self.api['types'].append({'name': words[-1].strip('*'), 'text': joined(words), 'comment': comment, **layer})

    def parameters(self, words):
        parts, depth = [[]], 0
        for word in words:
            depth += {'(': 1, ')': -1}.get(word, 0)
            if word == ',' and depth == 0:
                parts.append([])
            else:
                parts[-1].append(word)
        return [self.declared(part)[0] for part in parts if part != ['void']]

    def declared(self, words):
        """Name, type and count of each declarator in words, as `int * a [ 2 ] , b`."""
        if '(' in words and words[words.index('(') + 1] == '*':  # a function's address
            at = words.index('(')
            return [{'name': words[at + 2], 'type': joined([*words[:at], '(*)', *words[at + 4:]]).replace('(*) (', '(*)(')}]
        first = 1 + next(at for at, word in enumerate(words) if word not in ('const', 'struct'))
        first += words[first] == 'const'
        out, base, rest = [], words[:first], ' '.join(words[first:])
        for one in rest.split(','):
            counts = [self.number(text) for text in re.findall(r'\[([^]]*)\]', one)]
            one = re.sub(r'\[[^]]*\]', '', one).split()
            out.append({'name': one[-1], 'type': joined([*base, *one[:-1]]), **({'count': counts} if counts else {})})
        return out

    def number(self, text):
        """The value of an expression of C, by what came before it."""
        known = {value['name']: value['value'] for enum in self.api['enums'] for value in enum['values']}
        known.update((macro['name'], int(macro['text'])) for macro in self.api['macros'] if macro['text'].isdigit())
        known.update(self.within)
        return eval(re.sub(r'\b(\d+)[uUlL]+\b', r'\1', text), {}, known)

    within = {}

    def members(self):
        """The first word of each value or field up to the closing brace; a comment before it stays in `above`."""
        while True:
            kind, text, _ = self.next()
            if text == '}':
                return
            if kind == 'comment':
                self.above = plain(text)
            else:
                yield text

    def values(self):
        values, self.within, last = [], {}, -1
        for name in self.members():
            words = []
            while self.tokens[self.at][1] not in (',', '}'):
                kind, text, _ = self.next()
                if kind != 'comment':
                    words.append(text)
                else:
                    self.at -= 1
                    break
            comment = self.beside()
            if self.tokens[self.at][1] == ',':
                self.at += 1
                comment = comment or self.beside()
            last = self.number(' '.join(words[1:]).replace('< <', '<<')) if words else last + 1
            self.within[name] = last
            values.append({'name': name, 'value': last, 'comment': comment, 'above': self.take_above()})
        return values

    def fields(self):
        fields = []
        for text in self.members():
            above, words = self.take_above(), [text]
            if text == 'struct' and self.tokens[self.at][1] == '{':
                self.at += 1
                inner = self.fields()
                found = [{'name': self.next()[1], 'fields': inner}]
                assert self.next()[1] == ';'
            else:
                while self.tokens[self.at][1] != ';':
                    kind, text, _ = self.next()
                    if kind != 'comment':
                        words.append(text)
                self.at += 1
                found = self.declared(words)
            comment = self.beside()
            fields += [{**one, 'comment': comment, 'above': above} for one in found]
        return fields


def describe():
    api = {'version': subprocess.run(['sh', 'tests/version.sh'], check=True, capture_output=True, text=True).stdout.strip(),
           'macros': [], 'enums': [], 'structs': [], 'types': [], 'functions': []}
    for header in HEADERS:
        Header(header, api)
    return api


# -- Rust --------------------------------------------------------------------------------------------

WORDS = {'void': 'c_void', 'char': 'c_char', 'int': 'c_int', 'unsigned': 'c_uint', 'size_t': 'usize', 'float': 'f32',
         'double': 'f64',
         **{'%sint%d_t' % (u, bits): '%s%d' % (i, bits) for u, i in (('u', 'u'), ('', 'i')) for bits in (8, 16, 32, 64)}}
RESERVED = set('as box do fn impl in let loop match mod move mut priv pub ref trait type use where yield'.split())


def rust_name(name):
    return 'r#' + name if name in RESERVED else name


def rust_type(text):
    match = re.fullmatch(r'(.*?) ?\(\*\w*\)\((.*)\)', text)
    if match:
        returns, parameters = match.groups()
        parts, depth = [''], 0
        for letter in parameters:
            depth += {'(': 1, ')': -1}.get(letter, 0)
            if letter == ',' and not depth:
                parts.append('')
            else:
                parts[-1] += letter
        kinds = [part if '(*' in part else re.sub(r'\w+$', '', part.strip()) for part in parts if part.strip() != 'void']
        result = '' if returns == 'void' else ' -> ' + rust_type(returns)
        return 'Option<unsafe extern "C" fn(%s)%s>' % (', '.join(rust_type(kind.strip()) for kind in kinds), result)
    text = text.replace('struct ', '').strip()
    if text.endswith('const'):
        text = text[:-len('const')].strip()
    if text.endswith('*'):
        inner = text[:-1].strip()
        is_const = inner.endswith('*const') or (inner.startswith('const ') and '*' not in inner)
        return ('*const ' if is_const else '*mut ') + rust_type(inner)
    text = text.replace('const ', '').strip()
    return WORDS.get(text, text)


def doc(comment, indent=''):
    return ''.join('%s/// %s' % (indent, line) + '\n' for line in comment.split('\n')) if comment else ''


def rust(api):
    out = ['//! biostream %s, made from its headers by tests/api.py: do not edit. The comments are those of C.\n' % api['version'],
           '#![allow(non_camel_case_types, non_upper_case_globals, rustdoc::all)]\n'
           'use std::os::raw::{c_char, c_int, c_uint, c_void};\n']
    for macro in api['macros']:
        if macro['text'].isdigit() and macro['name'] != 'BIOST_HAS_LOADER':
            out.append('pub const %s: u32 = %s;' % (macro['name'], macro['text']))
    for enum in api['enums']:
        kind = 'c_int' if any(value['value'] < 0 for value in enum['values']) else 'c_uint'
        if enum['name']:
            out.append(doc(enum['comment']) + 'pub type %s = %s;' % (enum['name'], kind))
        out += [doc(value['comment']) + 'pub const %s: %s = %d;' % (value['name'], enum['name'] or kind, value['value'])
                for value in enum['values']]
    for one in api['types']:
        text = one['text']
        if text.startswith('typedef') and '*' in text:
            kind = rust_type(re.sub(r'^typedef |\w+$', '', text))
            out.append(doc(one['comment']) + 'pub type %s = %s;' % (one['name'], kind))
        else:
            out.append(doc(one['comment']) + '#[repr(C)]\npub struct %s {\n    _private: [u8; 0],\n}' % one['name'])
    for one in api['structs']:
        out += rust_struct(one['name'], one['comment'], one['fields'])
    out.append('extern "C" {')
    for function in api['functions']:
        returns = '' if function['returns'] == 'void' else ' -> ' + rust_type(function['returns'])
        parameters = ', '.join('%s: %s' % (rust_name(one['name']), rust_type(one['type'])) for one in function['parameters'])
        out.append(doc(function['comment'], '    ') + '    pub fn %s(%s)%s;' % (function['name'], parameters, returns))
    return '\n'.join([*out, '}\n'])


def rust_struct(name, comment, fields):
    before, lines = [], []
    for field in fields:
        kind = '%s_%s' % (name, field['name']) if 'fields' in field else rust_type(field['type'])
        if 'fields' in field:
            before += rust_struct(kind, field['above'], field['fields'])
        for count in reversed(field.get('count', [])):
            kind = '[%s; %d]' % (kind, count)
        about = '\n'.join(text for text in (field['above'], field['comment']) if text)
        lines.append(doc(about, '    ') + '    pub %s: %s,' % (rust_name(field['name']), kind))
    return [*before, doc(comment) + '#[repr(C)]\n#[derive(Clone, Copy)]\npub struct %s {\n%s\n}' % (name, '\n'.join(lines))]


def layout_in_c(api):
    """A program that prints every value, every struct's size and alignment, every field's offset and size."""
    out = ['#include "biostream.h"', '#include "biostream_cuda.h"', '#include <stddef.h>', '#include <stdio.h>',
           'int main(void) {']
    for name in (value['name'] for enum in api['enums'] for value in enum['values']):
        out.append(f'    printf("{name} %lld\\n", (long long){name});')
    for one in api['structs']:
        name = one['name']
        out.append(f'    typedef struct {{ char before; {name} it; }} after_{name};')
        out.append(f'    printf("{name} %zu %zu\\n", sizeof({name}), offsetof(after_{name}, it));')
        for field in (field['name'] for field in one['fields']):
            out.append(f'    printf("{name}.{field} %zu %zu\\n", offsetof({name}, {field}), sizeof(({name} *)0)->{field});')
    return '\n'.join([*out, '    return 0;', '}', ''])


def layout_in_rust(api):
    """A function that prints the same."""
    out = ['fn layout() {']
    for name in (value['name'] for enum in api['enums'] for value in enum['values']):
        out.append(f'    println!("{name} {{}}", i64::from({name}));')
    for one in api['structs']:
        name = one['name']
        out.append(f'    println!("{name} {{}} {{}}", size_of::<{name}>(), align_of::<{name}>());')
        out.append(f'    let it = MaybeUninit::<{name}>::uninit();')
        for field in (field['name'] for field in one['fields']):
            out += ['    unsafe {', f'        let at = addr_of!((*it.as_ptr()).{rust_name(field)});',
                    f'        println!("{name}.{field} {{}} {{}}", at as usize - it.as_ptr() as usize, size_of_val(&*at));',
                    '    }']
    return '\n'.join([*out, '}', ''])


# -- checks ------------------------------------------------------------------------------------------

def bare(text):
    return re.sub(r'\s+', '', text)


def names_of(fields):
    for field in fields:
        yield from names_of(field.get('fields', []))
        yield field['name']


def as_c(name, kind):
    return kind.replace('(*)', '(*%s)' % name, 1) if '(*)' in kind else '%s %s' % (kind, name)


def listed(api):
    """What public.awk lists, written from the description: lists by kind of (name, text without blanks)."""
    lists = {'function': [], 'struct': [], 'enum': [], 'type': [], 'macro': []}
    for one in api['functions']:
        parameters = ', '.join(as_c(part['name'], part['type']) for part in one['parameters']) or 'void'
        lists['function'].append((one['name'], bare('%s %s(%s)' % (one['returns'], one['name'], parameters))))
    lists['struct'] = [(one['name'], name) for one in api['structs'] for name in names_of(one['fields'])]
    lists['enum'] = [(enum['name'] or 'enum', value['name']) for enum in api['enums'] for value in enum['values']]
    lists['type'] = [(one['name'], bare(one['text'])) for one in api['types']]
    for one in api['macros']:
        parameters = '(%s)' % ','.join(one['parameters']) if one['parameters'] else ''
        if not re.fullmatch('BIOST_VERSION_(MAJOR|MINOR|PATCH)', one['name']):
            lists['macro'].append((one['name'], bare(parameters + one['text'])))
    return lists


def by_awk():
    """The same as public.awk lists it, which knows nothing of this script."""
    lists = {'function': [], 'struct': [], 'enum': [], 'type': [], 'macro': []}
    command = ['awk', '-f', 'tests/bare.awk', '-f', 'tests/public.awk', *HEADERS]
    for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
        kind, name, text = line.split('\t')
        if kind == 'struct':  # its declarators, or the last one of a struct inside it
            text = text.rpartition('{')[2]
            declared = [text] if '(' in text else text.split(',')
            lists[kind] += [(name, re.search(r'\(\*(\w+)\)|(\w+)\s*(?:\[[^]]*\]\s*)*$', one).group(1) or
                             re.search(r'(\w+)\s*(?:\[[^]]*\]\s*)*$', one).group(1)) for one in declared]
        else:
            lists[kind].append((name, text.split()[0] if kind == 'enum' else bare(text)))
    return lists


def assigned(path):
    """Constants that a module gives names to, one or several at once."""
    with open(path, encoding='utf-8') as file:
        tree = ast.parse(file.read())
    values = {}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                pairs = (zip(target.elts, node.value.elts) if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
                         else [(target, node.value)])
                for name, value in pairs:
                    try:
                        values[getattr(name, 'id', '')] = ast.literal_eval(value)
                    except ValueError:
                        pass
    return tree, values


def faults_of_python(api):
    """Each use of the library in examples/*.py that does not fit the description, as a sentence."""
    functions = {one['name']: one for one in api['functions']}
    enums = {enum['name']: {value['name']: value['value'] for value in enum['values']} for enum in api['enums']}
    small = {'void', 'int', 'uint32_t', *enums}  # what fits the int that ctypes takes a result for
    modules = {name: assigned('examples/%s.py' % name) for name in ('biostream', 'biostream_desc', 'biostream_library', 'biostream_store', 'biostream_bed', 'biostream_values')}
    known = {name: values for name, (_, values) in modules.items()}
    pairs = [('biostream', 'OK', 'biost_result', 'BIOST_OK'), ('biostream', 'PENDING', 'biost_result', 'BIOST_PENDING'),
             ('biostream', 'ERR_SLOTS', 'biost_result', 'BIOST_ERR_SLOTS'), ('biostream_desc', 'DATA', 'biost_field_mark', 'BIOST_MARK_DATA')]
    pairs += [('biostream_library', name, 'biost_field_kind', 'BIOST_FIELD_' + name) for name in ('WORD', 'TEXT', 'HOOK')]
    pairs += [('biostream_values', name, 'biost_field_kind', 'BIOST_FIELD_' + name) for name in
              ('U64', 'F32', 'CHARS', 'TEXT', 'TOKENS', 'F64', 'NUMBERS')]
    for module, name, enum, value in pairs:
        if known[module].get(name) != enums[enum].get(value, ''):
            yield '%s.%s is %s, and %s is %s' % (module, name, known[module].get(name), value, enums[enum].get(value))
    for name, enum, prefix, words in (('ARRAYS', 'biost_role', 'BIOST_ROLE_', {'x': 'INPUT', 'quality': 'QUALITY', 'mask': 'MASK', 'labels': 'LABEL'}),
                                      ('DTYPES', 'biost_dtype', 'BIOST_', {'u1': 'U8', 'f2': 'F16', 'f4': 'F32', 'u2': 'BF16', 'i4': 'I32', 'i8': 'I64'})):
        for at, word in enumerate(known['biostream'][name]):
            if word in words and enums[enum].get(prefix + words[word]) != at and enums[enum].get(prefix + 'DTYPE_' + words[word]) != at:
                yield 'biostream.%s[%d] is %s, which %s has elsewhere: %s' % (name, at, word, enum, enums[enum])
    used, kinds = set(), set()
    for module, (tree, _) in modules.items():
        results = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Attribute) and target.attr == 'restype' and isinstance(target.value, ast.Attribute):
                        kinds.add(target.value.attr)
            if getattr(getattr(node, 'value', None), 'id', '') == 'library' and getattr(node, 'attr', '').startswith('biost_'):
                if node.attr not in functions and node.attr != 'biost_layout':  # which only the library has
                    yield '%s.py names %s, which is no function of the headers' % (module, node.attr)
            if not isinstance(node, ast.Call):
                continue
            called, arguments = node.func, node.args
            if isinstance(called, ast.Name) and called.id == 'ask':  # it adds where the error goes
                called, arguments = arguments[0], arguments[1:] + [None]
            if not (isinstance(called, ast.Attribute) and getattr(called.value, 'id', '') == 'library'):
                continue
            name = called.attr
            if name not in functions:
                continue
            if not any(isinstance(one, ast.Starred) for one in arguments) and len(arguments) != len(functions[name]['parameters']):
                yield '%s.py line %d gives %s %d arguments of %d' % (module, node.lineno, name, len(arguments), len(functions[name]['parameters']))
            elif id(node) not in results and functions[name]['returns'] not in small:
                used.add(name)
    yield from ('%s returns %s, and restype does not say so' % (name, functions[name]['returns']) for name in sorted(used - kinds))


def check(folder):
    failed, passed = [], 0
    with open(os.path.join(folder, 'biostream.json'), encoding='ascii') as file:
        api = json.load(file)
    described, wanted = listed(api), by_awk()
    for kind in wanted:
        for name, text in [row for row in wanted[kind] if row not in described[kind]]:
            failed.append('%s %s: %s is in the header alone' % (kind, name, text))
        for name, text in [row for row in described[kind] if row not in wanted[kind]]:
            failed.append('%s %s: %s is in the description alone' % (kind, name, text))
        passed += 1
        if [row for row in described[kind]] != wanted[kind]:
            failed.append('%ss have another order or number: %d and %d' % (kind, len(described[kind]), len(wanted[kind])))
    for one in api['functions']:
        passed += 1
        if not one['comment']:
            failed.append('%s has no comment' % one['name'])
    printed = os.path.join(folder, 'layout.txt')
    if os.path.exists(printed):  # by the compiler of C
        with open(printed, encoding='ascii') as file:
            lines = dict(line.split(' ', 1) for line in file.read().splitlines())
        for value in (value for enum in api['enums'] for value in enum['values']):
            passed += 1
            if lines.get(value['name']) != str(value['value']):
                failed.append('%s is %s, and to the compiler %s' % (value['name'], value['value'], lines.get(value['name'])))
    failed += faults_of_python(api)
    for line in failed:
        print('FAILED', line)
    print('%d passed, %d failed' % (passed, len(failed)))
    return 1 if failed else 0


def main(words):
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
    if words[0] == 'check':
        return check(words[1])
    api = describe()
    os.makedirs(words[0], exist_ok=True)
    for name, text in (('biostream.json', json.dumps(api, indent=1) + '\n'), ('biostream_sys.rs', rust(api)),
                       ('layout.c', layout_in_c(api)), ('layout.rs', layout_in_rust(api))):
        with open(os.path.join(words[0], name), 'w', encoding='ascii') as file:
            file.write(text)
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
