#!/bin/sh
# What the virtual machine of `npm run bench -- cgroup-v2` does once it is up: a cluster twice, first in the machine as it is, then with
# all processes in the root of a cgroup namespace, as in a privileged container. The last line that it prints is the verdict.
set -eu
export HOME=/root PATH=/opt/node/bin:/usr/sbin:/usr/bin:/sbin:/bin
# Emulation is ten times slower, or more.
export KURATOR_PATIENCE=10
kurator() { node --conditions=source --disable-warning=ExperimentalWarning /opt/kurator/packages/cli/src/main.ts "$@"; }
say() { echo "check: $*"; }
show() { say "\$ $*"; "$@"; }

prove() {
  say "control groups are $(stat -fc %T /sys/fs/cgroup), this process is in $(sed -n s/^0:://p /proc/self/cgroup)"
  show kurator cluster up --nodes 1 --closed --no-install
  show kurator cluster load /opt/busybox.tar
  show kurator cluster kubectl -- apply -f /opt/deployment.yaml
  show kurator cluster kubectl -- rollout status deployment/web --timeout=15m
  show kurator cluster kubectl -- get nodes,pods -o wide
  limit=$(find /sys/fs/cgroup/kurator -path '*kubepods*' -name memory.max -exec cat {} + | grep -cx 67108864) || true
  say "groups with the limit of 64 MiB that the pod asks for: $limit"
  [ "$limit" -gt 0 ]
  show kurator cluster down
  [ ! -e /sys/fs/cgroup/kurator ]
  say "no group of the cluster is left; at the top are: $(cd /sys/fs/cgroup && echo */)"
}

container() {
  say "root of the container: $(wc -l < /sys/fs/cgroup/cgroup.procs) processes, controllers $(cat /sys/fs/cgroup/cgroup.controllers)"
  if echo +memory 2>/dev/null > /sys/fs/cgroup/cgroup.subtree_control; then say "controllers could be given on at once"; exit 1; fi
  say "giving controllers on is refused, as the root has processes"
  prove
  say "root of the container: $(wc -l < /sys/fs/cgroup/cgroup.procs) processes, gives on $(cat /sys/fs/cgroup/cgroup.subtree_control)"
}

case ${1:-machine} in
machine)
  trap 'code=$?; [ "$code" = 0 ] && say passed || { tail -n 5 /root/.local/state/kurator/failures/*/*.log; say "failed ($code)"; }' EXIT
  say "$(uname -sr), $(. /etc/os-release && echo "$PRETTY_NAME"), $(nproc) processors"
  prove
  echo +cpu +cpuset +memory +pids +io > /sys/fs/cgroup/cgroup.subtree_control
  mkdir /sys/fs/cgroup/container
  sh -c 'echo $$ > /sys/fs/cgroup/container/cgroup.procs && exec unshare --cgroup --mount "$0" enter' "$0"
  ;;
enter)
  umount /sys/fs/cgroup
  mount -t cgroup2 cgroup2 /sys/fs/cgroup
  container
  ;;
esac
