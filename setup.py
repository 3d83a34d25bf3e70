"""The one extension of nnrp-wire. Everything else about the package stands in pyproject.toml.

Switches, read from the environment (CONTRIBUTING.md says when each is used):

    NNRP_WIRE_DEBUG=1       no optimisation, debug symbols, C asserts
    NNRP_WIRE_SANITIZE=1    AddressSanitizer and UndefinedBehaviorSanitizer
    NNRP_WIRE_COVERAGE=1    line events of the .pyx, gcov counters of the C
    NNRP_WIRE_WERROR=1      a warning in csrc/ fails the build

The first three exclude one another; the first one set in the order SANITIZE, COVERAGE, DEBUG wins.
"""

from __future__ import annotations

import os
from glob import glob

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext


def switch(name: str) -> bool:
    return os.environ.get(f"NNRP_WIRE_{name}", "") not in ("", "0")


VARIANT = next((name for name in ("SANITIZE", "COVERAGE", "DEBUG") if switch(name)), "RELEASE").lower()

# Extension flags follow the interpreter's own CFLAGS on the command line, so these win over its -O3, -g and -DNDEBUG.
UNIX_FLAGS = {
    "release": ["-O2", "-g0"],
    "debug": ["-O0", "-g3", "-UNDEBUG"],
    "coverage": ["-O0", "-g", "-UNDEBUG", "--coverage"],
    # The interpreters' -fwrapv or -fno-strict-overflow would silence every signed-overflow check, and UB only prints
    # a line unless recovery is off.
    "sanitize": [
        "-O1",
        "-g1",
        "-UNDEBUG",
        "-fno-wrapv",
        "-fstrict-overflow",
        "-fno-omit-frame-pointer",
        "-fsanitize=address,undefined",
        "-fno-sanitize-recover=undefined",
    ],
}
UNIX_LINK_FLAGS = {"coverage": ["--coverage"], "sanitize": ["-fsanitize=address,undefined"]}
UNIX_COMMON = ["-std=c11", "-fvisibility=hidden"]
UNIX_STRICT = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", *(["-Werror"] if switch("WERROR") else [])]

MSVC_COMMON = ["/std:c11"]
MSVC_FLAGS = {"release": ["/O2"]}
MSVC_STRICT = ["/W4", *(["/WX"] if switch("WERROR") else [])]

# coverage.py's own tracer sees .pyx lines only through the legacy trace hooks, not through sys.monitoring.
MACROS = [("CYTHON_TRACE_NOGIL", "1"), ("CYTHON_USE_SYS_MONITORING", "0")] if VARIANT == "coverage" else []

# auto_pickle and autotestdict would add generated names to the module; a view must refuse pickling in its own words.
# freethreading_compatible is a promise, and no free-threaded interpreter has tested this module.
DIRECTIVES = {
    "language_level": 3,
    "binding": True,
    "embedsignature": True,
    "auto_pickle": False,
    "autotestdict": False,
    "linetrace": VARIANT == "coverage",
}

CORE = sorted(glob("csrc/src/*.c"))
CODEC = "src/nnrp_wire/wire/_codec.pyx"
DEPENDS = sorted(
    path
    for pattern in ("csrc/include/**/*.h", "csrc/src/*.h", "src/nnrp_wire/wire/*.pxi", "src/nnrp_wire/wire/*.pxd")
    for path in glob(pattern, recursive=True)
)


class BuildCodec(build_ext):
    """Build the C core with its own strict warnings, then the translated Cython around it."""

    def build_extension(self, ext: Extension) -> None:
        # Here and not at the top: metadata and source archives need no translation.
        from Cython.Build import cythonize

        if self.compiler.compiler_type == "msvc":
            flags, strict = MSVC_COMMON + MSVC_FLAGS.get(VARIANT, []), MSVC_STRICT
        else:
            flags, strict = UNIX_COMMON + UNIX_FLAGS[VARIANT], UNIX_STRICT
            ext.extra_link_args = UNIX_LINK_FLAGS.get(VARIANT, [])
            # An interpreter outside the system's folders links everything with a run path to its own. The codec needs
            # no library from there, and a wheel must not name a folder of the machine that built it.
            self.compiler.linker_so = [flag for flag in self.compiler.linker_so if not flag.startswith("-Wl,-rpath")]
        ext.extra_compile_args = flags

        # The coverage plugin looks for the .c beside the .pyx; every other build keeps the source tree clean.
        [translated] = cythonize(
            [ext],
            build_dir=None if VARIANT == "coverage" else "build/cython",
            compiler_directives=DIRECTIVES,
        )
        ext.sources = translated.sources
        # Cython's C cannot take -Wconversion, so the core is compiled apart and handed over as objects.
        ext.extra_objects = self.compiler.compile(
            CORE,
            output_dir=self.build_temp,
            include_dirs=ext.include_dirs,
            depends=ext.depends,
            extra_postargs=flags + strict,
        )
        super().build_extension(ext)


setup(
    ext_modules=[
        Extension(
            "nnrp_wire.wire._codec",
            [CODEC],
            include_dirs=["csrc/include", "csrc/src"],
            depends=[*CORE, *DEPENDS],
            define_macros=MACROS,
        )
    ],
    cmdclass={"build_ext": BuildCodec},
    # A folder per variant: flags are no part of the up-to-date check, so one folder would hand out the wrong build.
    options={"build": {"build_base": f"build/{VARIANT}"}},
)
