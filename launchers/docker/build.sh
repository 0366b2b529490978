#!/usr/bin/env bash
# Builds the image of sandbox=docker unless the engine has it; `make sandbox-image` calls it.
#
#   launchers/docker/build.sh             from a normal base image where a registry answers, else from this machine's Python
#   launchers/docker/build.sh machine     from this machine's Python; needs no registry
#   launchers/docker/build.sh IMAGE       from this base image, which must have Python at /usr/local/bin/python3
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

exec .venv/bin/python -m rlpt.sandbox.image "$@"
