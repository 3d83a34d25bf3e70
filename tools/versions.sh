#!/usr/bin/env bash
# Build the package and run the tests on each supported Python that is found:
#     tools/versions.sh SOURCE [PYTEST ARGUMENTS]        NNRP_WIRE_VERSIONS="3.10 3.12" narrows the list, VENVS=DIR moves the environments
set -euo pipefail
tools=$(cd "$(dirname "$0")" && pwd)

source=$1
shift
missing=()
for version in ${NNRP_WIRE_VERSIONS:-3.10 3.11 3.12 3.13}; do
    if ! python=$("$tools/find_python.sh" "$version"); then
        missing+=("$version")
        continue
    fi
    echo "== Python $version: $python"
    make --no-print-directory test PYTHON="$python" VENV="${VENVS:-.}/.venv-$version" SOURCE="$source" TESTS="$*"
done
if [ ${#missing[@]} -gt 0 ]; then
    echo "not found, so not tested: Python ${missing[*]}"
fi
