#!/usr/bin/env bash
# Runs every benchmark (benchmarks/*.py without those that start with an underscore); `make bench` calls it.
# Each writes its figures to build/benchmarks/NAME.json.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

out=build/benchmarks
mkdir -p "$out"
for file in benchmarks/[!_]*.py; do
    [ -e "$file" ] || { echo "There is no benchmark in benchmarks/ yet."; exit 0; }
    name=$(basename "$file" .py)
    echo "== $name"
    .venv/bin/python "$file" --json "$out/$name.json"
done
