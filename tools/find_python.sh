#!/usr/bin/env bash
# Print the path of a CPython of the given version (tools/find_python.sh 3.12), or fail.
# A name on PATH may be a launcher for a version that is not there, so each candidate is asked.
set -u

version=$1
candidates=("python$version" "python3")
if command -v pyenv >/dev/null; then
    candidates+=("$(pyenv root)/versions/$version".*/bin/python)
fi
for candidate in "${candidates[@]}"; do
    found=$("$candidate" -c 'import sys; print("%d.%d" % sys.version_info[:2], sys.executable)' 2>/dev/null) || continue
    if [ "${found%% *}" = "$version" ]; then
        echo "${found#* }"
        exit 0
    fi
done
exit 1
