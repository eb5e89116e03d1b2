"""The wheel of biostream.py: a build backend for pip (PEP 517) that needs nothing but Python and a C compiler.

    pip install examples/packages/python
    CC=clang CFLAGS='-O3 -march=native' pip wheel examples/packages/python

The modules are those of examples/, the library is compiled from both headers. CC is the compiler, else the first of cc,
gcc and clang; where there is none, pip fetches the package ziglang, which has one. To import it needs NumPy alone.
"""
import base64
import hashlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.abspath(os.path.join(HERE, '../../..'))
MODULES = ['biostream.py', 'biostream_bed.py', 'biostream_desc.py', 'biostream_library.py', 'biostream_store.py', 'biostream_values.py']
SOURCES = ['biostream.c', 'biostream_cuda.c', 'layout.c']
# All that a wheel is built from, for an archive of sources.
NEEDED = ['biostream.h', 'biostream_cuda.h', 'LICENSE', *('examples/' + name for name in MODULES),
          *('examples/cmake/' + name for name in [*SOURCES, 'layout_rows.h']),
          'examples/packages/python/build_biostream.py']


def read(name):
    with open(os.path.join(TREE, name), 'rb') as file:
        return file.read()


def version():
    parts = dict(re.findall(rb'^#define BIOST_VERSION_(MAJOR|MINOR|PATCH) (\d+)$', read('biostream.h'), re.M))
    return '.'.join(parts[name].decode() for name in (b'MAJOR', b'MINOR', b'PATCH'))


def named():
    return 'biostream-' + version()


def metadata():
    return ('Metadata-Version: 2.1\nName: biostream\nVersion: %s\nSummary: FASTQ and FASTA files into batches for machine '
            'learning\nLicense: MIT, or public domain as the alternative\nRequires-Python: >=3.9\nRequires-Dist: numpy\n'
            % version()).encode()


def wheel_tag():
    return 'py3-none-' + re.sub('[-.]', '_', sysconfig.get_platform())


def about():
    """What stands in a wheel's folder of metadata, by name."""
    wheel = 'Wheel-Version: 1.0\nGenerator: build_biostream\nRoot-Is-Purelib: false\nTag: %s\n' % wheel_tag()
    return {'METADATA': metadata(), 'WHEEL': wheel.encode(), 'LICENSE': read('LICENSE')}


def compiler():
    """The words of the command; None: there is none."""
    if os.environ.get('CC'):
        return shlex.split(os.environ['CC'])
    return next(([name] for name in ('cc', 'gcc', 'clang') if shutil.which(name)), None)


def library():
    """(name, bytes) of the library, compiled anew."""
    name = {'win32': 'biostream.dll', 'darwin': 'libbiostream.dylib'}.get(sys.platform, 'libbiostream.so')
    flags = shlex.split(os.environ.get('CFLAGS', '-O2')) + ([] if sys.platform == 'win32' else ['-fPIC'])
    sources = [os.path.join(TREE, 'examples/cmake', source) for source in SOURCES]
    libraries = ['-pthread', *(['-ldl'] if sys.platform.startswith('linux') else [])]
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, name)
        command = compiler() or [sys.executable, '-m', 'ziglang', 'cc']
        subprocess.run([*command, *flags, '-shared', *sources, '-o', out, *libraries], check=True)
        with open(out, 'rb') as file:
            return name, file.read()


def get_requires_for_build_wheel(config_settings=None):
    return [] if compiler() else ['ziglang']


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = named() + '.dist-info'
    os.makedirs(os.path.join(metadata_directory, folder), exist_ok=True)
    for name, data in about().items():
        with open(os.path.join(metadata_directory, folder, name), 'wb') as file:
            file.write(data)
    return folder


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    files = {name: read('examples/' + name) for name in MODULES}
    files.update([library()])
    info = named() + '.dist-info/'
    files.update((info + name, data) for name, data in about().items())
    record = ''
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()
        record += '%s,sha256=%s,%d\n' % (name, digest, len(data))
    files[info + 'RECORD'] = (record + info + 'RECORD,,\n').encode()
    wheel = '%s-%s.whl' % (named(), wheel_tag())
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), 'w', zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)  # of a fixed date: equal sources make equal wheels
            entry.external_attr = (0o755 if name.endswith('.so') else 0o644) << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    files = {name: read(name) for name in NEEDED}
    files['PKG-INFO'] = metadata()
    with open(os.path.join(HERE, 'pyproject.toml'), 'rb') as file:  # at the top there, with the same folders below
        files['pyproject.toml'] = file.read().replace(b'["."]', b'["examples/packages/python"]')
    name = named() + '.tar.gz'
    with tarfile.open(os.path.join(sdist_directory, name), 'w:gz', format=tarfile.PAX_FORMAT) as archive:
        for path, data in files.items():
            entry = tarfile.TarInfo(named() + '/' + path)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return name
