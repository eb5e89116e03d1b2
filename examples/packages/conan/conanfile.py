"""Conan 2: `conan create examples/packages/conan`, then `biostream/0.2.0` in a host's requirements.

With CMakeDeps a host has find_package(biostream) and the target biostream::biostream.
"""
import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load


class Biostream(ConanFile):
    name = 'biostream'
    description = 'FASTQ and FASTA files into batches for machine learning'
    license = 'MIT'
    topics = 'fastq', 'fasta', 'gzip', 'machine-learning'
    package_type = 'library'
    settings = 'os', 'arch', 'compiler', 'build_type'
    options = {'shared': [True, False], 'fPIC': [True, False]}
    default_options = {'shared': False, 'fPIC': True}
    implements = ['auto_shared_fpic']
    languages = 'C'

    def _tree(self):
        return os.path.join(self.recipe_folder, '..', '..', '..')

    def set_version(self):
        parts = re.findall(r'(?m)^#define BIOST_VERSION_(?:MAJOR|MINOR|PATCH) ([0-9]+)$',
                           load(self, os.path.join(self._tree(), 'biostream.h')))
        self.version = '.'.join(parts)

    def export_sources(self):
        for pattern in ('biostream*.h', 'LICENSE', 'examples/*.h', 'examples/*.hpp', 'examples/cmake/*'):
            copy(self, pattern, self._tree(), self.export_sources_folder, excludes=('build/*', 'tests/*', 'bench/*'))

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables['BIOSTREAM_INSTALL'] = True
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure(build_script_folder='examples/cmake')
        cmake.build()

    def package(self):
        copy(self, 'LICENSE', self.source_folder, os.path.join(self.package_folder, 'licenses'))
        CMake(self).install()

    def package_info(self):
        self.cpp_info.libs = ['biostream']
        if self.settings.os in ('Linux', 'FreeBSD'):
            self.cpp_info.system_libs = ['pthread', 'dl']
