/**
 * The last one out. A tiny shell that does nothing but wait for the supervisor's end, however it comes, and then
 * removes what the kernel does not remove by itself: cgroups and files. It comes after the supervisor, not before its
 * end: a start that is broken off may still be making folders until the very last moment. Logs of a supervisor that
 * was killed stay, for whoever wants to know why.
 */
import { spawn } from 'node:child_process';

/** As its supervisor holds it. */
export interface Reaper {
  /** This end is wanted: not even the logs have to stay. */
  expectEnd(): void;
}

/**
 * It outlasts the signals that a shutdown sends to everybody, and ends by itself soon after. It works from within the
 * folder, not by its path: there another cluster of the same name may be by the time it comes to that.
 */
const script = `
trap '' TERM INT HUP
folder=$1 cgroup=$2 wanted=
while read -r word; do wanted=$word; done
tries=0
while [ $tries -lt 100 ]; do
  left=
  for top in /sys/fs/cgroup /sys/fs/cgroup/*; do
    [ -d "$top/$cgroup" ] || continue
    left=1
    find "$top/$cgroup" -depth -type d 2>/dev/null | while read -r group; do
      while read -r pid; do [ "$pid" = 0 ] || kill -KILL "$pid"; done < "$group/cgroup.procs"
      rmdir "$group"
    done
  done
  [ -n "$left" ] || break
  tries=$((tries + 1))
  sleep 0.1
done
# Shared by all clusters: goes with the last one, also when its cluster died before it had a group of its own there.
for top in /sys/fs/cgroup /sys/fs/cgroup/*; do rmdir "$top/\${cgroup%/*}"; done
# What says whose the folder is goes last.
find . -mindepth 1 -maxdepth 1 ! -name logs ! -name cluster.json ! -name owner -exec rm -rf {} +
[ -z "$wanted" ] || { rm -rf logs; rm -f owner cluster.json; rmdir "$folder"; }
`;

export function startReaper(folder: string, cgroup: string): Reaper {
  const reaper = spawn('sh', ['-c', script, 'kurator-reaper', folder, cgroup], {
    cwd: folder,
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  reaper.stdin?.on('error', () => {});
  reaper.unref();
  return {
    expectEnd() {
      reaper.stdin?.write('wanted\n');
    },
  };
}
