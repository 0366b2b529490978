#!/usr/bin/env bash
# Brings up a real Slurm with two nodes on this one machine, to try `hydra/launcher=submitit_slurm` without a cluster.
#
#   launchers/slurm/local.sh up        start it (nothing happens where it already runs)
#   launchers/slurm/local.sh env       print the line that points this shell at it: eval "$(launchers/slurm/local.sh env)"
#   launchers/slurm/local.sh status    show its nodes and jobs
#   launchers/slurm/local.sh down      cancel its jobs, stop it, remove its folder
#
# Everything it has lies in one folder (RLPT_SLURM_DIR, default /run/rlpt-slurm): configuration, munge key and socket,
# state, logs. It takes free ports and touches no file of the system, so a Slurm that is already here is not disturbed.
set -euo pipefail

readonly DIR=${RLPT_SLURM_DIR:-/run/rlpt-slurm}
TOOLS=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/bin
readonly MUNGE_SOCKET=$DIR/munge/munge.socket.2
# Nodes are named by loopback addresses, so that the names resolve for torch's rendezvous without a line in /etc/hosts.
readonly NODES=(127.0.0.1 127.0.0.2)
readonly READY_TIMEOUT_S=30
PATH=$PATH:/usr/sbin:/sbin
export SLURM_CONF=$DIR/slurm.conf

die() {
    printf 'local Slurm: %s\n' "$*" >&2
    exit 1
}

require_tools() {
    local tool
    for tool in slurmctld slurmd sbatch munged; do
        command -v "$tool" >/dev/null ||
            die "$tool is not installed; on Debian or Ubuntu run: apt-get install slurm-wlm munge"
    done
    [ "$(id -u)" -eq 0 ] || die "slurmd starts jobs as other users and must be root; run this command with sudo."
}

free_port() { # free_port TAKEN...: a port below the ephemeral range that nothing listens on and that is not TAKEN
    local port
    while :; do
        port=$((20000 + RANDOM % 12000))
        [[ " $* " == *" $port "* ]] && continue
        (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
    done
    printf '%s' "$port"
}

write_config() {
    local controller first second memory_mb
    controller=$(free_port)
    first=$(free_port "$controller")
    second=$(free_port "$controller" "$first")
    memory_mb=$(awk '/MemTotal/ {print int($2 / 1024 * 0.9)}' /proc/meminfo)
    # Both nodes offer the whole machine: on a laptop two small jobs side by side are worth more than exact shares.
    cat >"$SLURM_CONF" <<CONF
ClusterName=rlpt
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmctldPort=$controller
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$MUNGE_SOCKET
StateSaveLocation=$DIR/state
SlurmctldPidFile=$DIR/slurmctld.pid
SlurmctldLogFile=$DIR/slurmctld.log
SlurmdSpoolDir=$DIR/spool.%n
SlurmdPidFile=$DIR/slurmd.%n.pid
SlurmdLogFile=$DIR/slurmd.%n.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
KillWait=10
MinJobAge=86400
NodeName=${NODES[0]} NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=$first CPUs=$(nproc) RealMemory=$memory_mb
NodeName=${NODES[1]} NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=$second CPUs=$(nproc) RealMemory=$memory_mb
PartitionName=local Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
    # From 23.02 on slurmd wants a cgroup hierarchy of its own unless told otherwise; containers rarely have one.
    if [ "$(slurmd -V | tr -dc '0-9.' | cut -d. -f1)" -ge 23 ]; then
        echo "CgroupPlugin=disabled" >"$DIR/cgroup.conf"
    fi
}

start_munge() {
    local run_as=()
    mkdir -p "$DIR/munge"
    head -c 64 /dev/urandom >"$DIR/munge/munge.key"
    chmod 400 "$DIR/munge/munge.key"
    if id munge >/dev/null 2>&1; then
        chown -R munge: "$DIR/munge"
        run_as=(runuser -u munge --)
    fi
    "${run_as[@]}" munged --socket="$MUNGE_SOCKET" --key-file="$DIR/munge/munge.key" \
        --pid-file="$DIR/munge/munged.pid" --log-file="$DIR/munge/munged.log" --seed-file="$DIR/munge/munged.seed"
}

is_up() {
    [ -f "$SLURM_CONF" ] && [ "$(sinfo -h -N -t idle,alloc,mix -o %N 2>/dev/null | wc -l)" -eq 2 ]
}

wait_until_up() {
    local deadline=$((SECONDS + READY_TIMEOUT_S))
    until is_up; do
        if [ $SECONDS -ge $deadline ]; then
            tail -n 5 "$DIR"/*.log >&2 || true
            die "the nodes were not ready after $READY_TIMEOUT_S s; the logs in $DIR say why."
        fi
        sleep 0.2
    done
}

up() {
    require_tools
    mkdir -p "$DIR"
    chmod 755 "$DIR"
    exec 9>"$DIR/lock"
    flock 9
    if is_up; then
        echo "Slurm is already up: 2 nodes, in $DIR."
        return
    fi
    stop_daemons
    mkdir -p "$DIR/state"
    write_config
    # The daemons must not inherit the lock.
    start_munge 9>&-
    slurmctld -c 9>&-
    slurmd -N "${NODES[0]}" 9>&-
    slurmd -N "${NODES[1]}" 9>&-
    wait_until_up
    echo "Slurm is up: 2 nodes, in $DIR. Point this shell at it with:"
    print_env
}

print_env() {
    printf 'export SLURM_CONF=%q PATH=%q:$PATH\n' "$SLURM_CONF" "$TOOLS"
}

status() {
    is_up || die "not running; start it with: $0 up"
    sinfo -N -o '%N %T %c CPUs %m MB'
    squeue
}

process_of() { # process_of PIDFILE NAME: its id, unless the id has gone to another program since
    local pid
    pid=$(cat "$1" 2>/dev/null) || return 0
    if [ -n "$pid" ] && [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = "$2" ]; then echo "$pid"; fi
}

stop_daemons() {
    local node pid pids deadline=$((SECONDS + 10))
    pids=$(
        for node in "${NODES[@]}"; do process_of "$DIR/slurmd.$node.pid" slurmd; done
        process_of "$DIR/slurmctld.pid" slurmctld
        process_of "$DIR/munge/munged.pid" munged
    )
    for pid in $pids; do kill "$pid" 2>/dev/null || true; done
    for pid in $pids; do
        while [ -d "/proc/$pid" ] && [ $SECONDS -lt $deadline ]; do sleep 0.1; done
        if [ -d "/proc/$pid" ]; then kill -9 "$pid" 2>/dev/null || true; fi
    done
    find "$DIR" -mindepth 1 -not -name lock -delete 2>/dev/null || true
}

down() {
    [ -d "$DIR" ] || return 0
    if is_up; then
        squeue -h -o %A | sort -u | xargs -r scancel || true
        local deadline=$((SECONDS + 15))
        while [ -n "$(squeue -h 2>/dev/null)" ] && [ $SECONDS -lt $deadline ]; do sleep 0.2; done
    fi
    stop_daemons
    rm -rf "$DIR"
}

case "${1:-}" in
    up) up ;;
    down) down ;;
    status) status ;;
    env) print_env ;;
    *) die "say what to do: $0 up | env | status | down" ;;
esac
