#!/usr/bin/env bash
# Line coverage of Python, Cython and C:  tools/coverage.sh VENV [PYTEST ARGUMENTS]
# Works in a copy: the traced module must never be taken for the real one. Python 3.12 cannot trace Cython lines.
set -euo pipefail
cd "$(dirname "$0")/.."

bin=$1/bin
shift
if "$bin/python" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 12))'; then
    echo "coverage of .pyx lines does not work on Python 3.12; choose another PYTHON" >&2
    exit 2
fi
copy=build/coverage/tree
rm -rf "$copy"
mkdir -p "$copy"
tar -c --exclude ./build --exclude './.venv*' --exclude ./.git --exclude '*.so' . | tar -x -C "$copy"
cd "$copy"
NNRP_WIRE_COVERAGE=1 "$bin/python" setup.py --quiet build_ext --inplace
# Ahead of the installed package; the packaging tests build their own.
PYTHONPATH=$PWD/src "$bin/python" -m coverage run -m pytest --timeout 900 --ignore tests/packaging "$@"
"$bin/python" -m coverage report
"$bin/gcovr" --root . --filter csrc/src/ --object-directory build/coverage
