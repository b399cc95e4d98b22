/**
 * The last one out. A tiny shell that does nothing but wait for the supervisor's end, however it comes, and then
 * removes what the kernel does not remove by itself: cgroups and files. Logs stay, for whoever wants to know why.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { cgroupOf } from '../cluster-config.ts';

export interface Reaper {
  /** All is cleaned up: nothing is left to do for it. */
  dismiss(): Promise<void>;
}

const script = `
read -r word && exit 0
folder=$1 cgroup=$2
tries=0
while [ $tries -lt 100 ]; do
  left=
  for top in /sys/fs/cgroup /sys/fs/cgroup/*; do
    [ -d "$top/$cgroup" ] || continue
    left=1
    find "$top/$cgroup" -depth -type d 2>/dev/null | while read -r group; do
      while read -r pid; do kill -KILL "$pid"; done < "$group/cgroup.procs"
      rmdir "$group"
    done
    rmdir "$top/\${cgroup%/*}"
  done
  [ -n "$left" ] || break
  tries=$((tries + 1))
  sleep 0.1
done
find "$folder" -mindepth 1 -maxdepth 1 ! -name logs ! -name cluster.json ! -name owner -exec rm -rf {} +
`;

export function startReaper(folder: string, cluster: string): Reaper {
  const reaper: ChildProcess = spawn('sh', ['-c', script, 'kurator-reaper', folder, cgroupOf(cluster)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  reaper.stdin?.on('error', () => {});
  reaper.unref();
  return {
    async dismiss() {
      const ended = new Promise<void>((resolve) => reaper.once('exit', () => resolve()));
      if (reaper.exitCode !== null || reaper.signalCode !== null) return;
      reaper.stdin?.end('done\n');
      await ended;
    },
  };
}
