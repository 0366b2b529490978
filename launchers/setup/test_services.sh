#!/usr/bin/env bash
# Installs the system packages that some tests need: a Docker engine (sandbox=docker), Slurm (launchers) and the shells
# zsh and fish (completion). `make test` calls it. Where it may not or cannot install them it says so, and those tests
# skip, naming what is missing.
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin

missing=""
require() { # require COMMAND PACKAGE
    command -v "$1" >/dev/null && return
    case " $missing " in *" $2 "*) ;; *) missing="$missing $2" ;; esac
}
require dockerd docker.io
require sbatch slurm-wlm
require slurmctld slurm-wlm
require slurmd slurm-wlm
require munged munge
require zsh zsh
require fish fish
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "Not installed here:$missing. The tests that need them skip (as root on Debian they would be installed)."
    exit 0
fi
echo "Installing for the tests:$missing."
export DEBIAN_FRONTEND=noninteractive
apt-get -qq update
# shellcheck disable=SC2086 # a list of package names
apt-get -qq install --yes $missing >/dev/null
