#!/usr/bin/env bash
# Installs the system packages that some tests need: a Docker engine (sandbox=docker) and Slurm (launchers). `make test`
# calls it. Where it may not or cannot install them it says so, and those tests skip, naming what is missing.
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin

declare -A provides=([dockerd]=docker.io [sbatch]=slurm-wlm [slurmctld]=slurm-wlm [slurmd]=slurm-wlm [munged]=munge)
packages=()
for command in "${!provides[@]}"; do
    command -v "$command" >/dev/null || packages+=("${provides[$command]}")
done
[ ${#packages[@]} -gt 0 ] || exit 0
mapfile -t packages < <(printf '%s\n' "${packages[@]}" | sort -u)

if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "Not installed here: ${packages[*]}. The tests that need them skip (as root on Debian they would be installed)."
    exit 0
fi
echo "Installing for the tests: ${packages[*]}."
export DEBIAN_FRONTEND=noninteractive
apt-get -qq update
apt-get -qq install --yes "${packages[@]}" >/dev/null
