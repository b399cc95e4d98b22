/**
 * What runs beside an instance, or in it, as shell scripts that need little but a shell. Pure.
 *
 * All of them speak the same: `pid N` is who must be told to stop it (SIGINT), `ok` says that the fault is there. All of them
 * undo it by themselves when their time is over. SIGTERM is not heard: an instance that hangs must go on hanging while it is
 * taken away.
 */
import { ARCHITECTURE, holdProgram } from './hold-program.ts';

/** Whoever could not begin for long, for its image was not there, does not begin when nobody expects it. `$4` is the last second. */
const inTime = `
now=$(date +%s 2>/dev/null)
[ "\${now:-0}" -le "$4" ] || { echo "it was to begin until second $4, and its clock says $now"; exit 3; }`;

/** The processes of a container, by the name of their cgroup: `$1` is the container's id. Leaves their threads in `$tids`. */
const findThreads = `
pids= tids=
for process in /proc/[0-9]*; do
  mine=
  while read -r line; do case $line in *"$1"*) mine=yes ;; esac; done 2>/dev/null <"$process/cgroup"
  [ "$mine" ] || continue
  pids="$pids \${process##*/}"
  for thread in "$process"/task/*; do tids="$tids \${thread##*/}"; done
done
[ "$pids" ] || { echo "no process of the container can be seen from here"; exit 3; }`;

/** `$2` are the tracer's options, `$3` the seconds, `$4` when it begins at the latest. */
export function traceScript(): string {
  const bytes = [...holdProgram()].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
  return `trap '' TERM
${inTime}
case $(uname -m 2>/dev/null) in ""|${ARCHITECTURE.machine}) ;; *) echo "the tracer is for ${ARCHITECTURE.name} alone"; exit 3 ;; esac
${findThreads}
program=/tmp/kurator-drill
[ -w /tmp ] || program=/kurator-drill
printf '${bytes}' >"$program" && chmod 700 "$program" || exit 3
echo "pid $$"
exec "$program" "$2" "$3" $tids`;
}

/** `$2` is STOP or KILL, `$3` the seconds, `$4` when it begins at the latest. */
export function signalScript(): string {
  return `${inTime}
${findThreads}
undo() { [ "$2" = KILL ] || kill -CONT $pids; }
${lasting('kill -"$2" $pids', 'undo "$@"')}`;
}

/** Whether packets can be lost by what is there; busybox has a tc that can't. */
export const losesPackets = 'command -v iptables >/dev/null || tc -V >/dev/null 2>&1';

/** `$2` is the percentage, `$3` the seconds, `$4` when it begins at the latest. Loopback is spared. */
export function lossScript(): string {
  return `${inTime}
if command -v iptables >/dev/null; then
  rule="INPUT ! -i lo -m statistic --mode random --probability $(( $2 / 100 )).$(printf %02d $(( $2 % 100 ))) -j DROP"
  begin="iptables -I $rule" undo="iptables -D $rule"
elif tc -V >/dev/null 2>&1; then
  begin="tc qdisc add dev eth0 root netem loss $2%" undo="tc qdisc del dev eth0 root"
else
  echo "neither iptables nor tc is in this image"
  exit 3
fi
${lasting('$begin', '$undo')}`;
}

/** Does it, says so, and undoes it when told, or when its time is over. */
function lasting(begin: string, undo: string): string {
  return `trap '' TERM
timer=
trap '${undo}; kill -9 $timer; wait; exit 0' INT
echo "pid $$"
${begin} || { ${undo} >/dev/null 2>&1; exit 3; }
echo ok
sleep "$3" &
timer=$!
wait $timer
${undo}`;
}

/** What its processes are known by: the first line of their script, which everybody can read in /proc. */
const nameOfLoad = (id: string) => `: kurator-drill-${id}`;

/**
 * Runs in the instance itself: only there its limit holds. `$1` are the loops, `$2` the seconds. One process stays that
 * ends the loops, and waits for them: the instance's own first process may not bury what it did not begin.
 */
export function burnScript(id: string): string {
  return `${nameOfLoad(id)}
(
  trap '' HUP
  loops= timer= left=$1
  stop() { kill -9 $loops $timer; wait; exit; }
  trap stop TERM
  while [ "$left" -gt 0 ]; do
    while :; do :; done &
    loops="$loops $!"
    left=$((left - 1))
  done
  sleep "$2" &
  timer=$!
  wait $timer
  stop
) >/dev/null 2>&1 </dev/null &`;
}

/** Ends it, whoever began it. Needs nothing but the shell. */
export function stopBurningScript(id: string): string {
  return `for process in /proc/[0-9]*; do
  first=
  read -r first 2>/dev/null <"$process/cmdline"
  case $first in *"${nameOfLoad(id)}") kill "\${process##*/}" ;; esac
done
:`;
}

/** What keeps a revision from starting, until a moment in seconds since 1970: then it starts as it should. */
export function notBefore(until: number): string[] {
  const script = `[ "$(date +%s)" -ge ${until} ] || { echo "kurator drill: a bad revision"; exit 1; }`;
  return ['sh', '-c', verbatim(script)];
}

/** For the command of a container, in which Kubernetes makes one dollar of two, and fills in what is in `$(…)`. */
export function verbatim(text: string): string {
  return text.replaceAll('$', '$$$$');
}
