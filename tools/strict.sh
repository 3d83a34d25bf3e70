#!/usr/bin/env bash
# Compile csrc without Python, every warning an error; each header that is meant to be included must also stand alone.
set -euo pipefail
cd "$(dirname "$0")/.."

cc=${CC:-gcc}
flags=(-std=c11 -O2 -pedantic -Wall -Wextra -Wconversion -Wshadow -Werror -Icsrc/include -Icsrc/src)
for source in csrc/src/*.c; do
    "$cc" "${flags[@]}" -c "$source" -o /dev/null
done
for header in csrc/include/nnrp/*.h; do
    case $header in *_generated.h) continue ;; esac # the second half of a header that includes it
    "$cc" "${flags[@]}" -Wno-unused -fsyntax-only -include "$header" -x c /dev/null
done
echo "csrc is clean"
