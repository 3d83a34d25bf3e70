#!/usr/bin/env bash
# Run a command with the sanitizers' run time loaded:  tools/sanitize.sh PYTHON -m pytest ...
# The package it imports must have been built with NNRP_WIRE_SANITIZE=1.
set -euo pipefail

cc=${CC:-gcc}
asan=$("$cc" -print-file-name=libasan.so)
# Without libstdc++ in front, a C++ exception inside pysimdjson aborts under libasan.
stdcxx=$("$cc" -print-file-name=libstdc++.so)

export NNRP_WIRE_SANITIZE=1
# pymalloc serves small blocks out of its own arenas: an over-read of a bytearray would pass unseen.
export PYTHONMALLOC=malloc
# The interpreter itself leaves memory at exit. The small quarantine keeps the tests that bound memory growth honest.
export ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=8${ASAN_OPTIONS:+:$ASAN_OPTIONS}
export UBSAN_OPTIONS=print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}
export LD_PRELOAD="$asan $stdcxx"
exec "$@"
