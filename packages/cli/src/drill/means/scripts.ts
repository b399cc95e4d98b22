/**
 * What runs beside an instance, or in it, as shell scripts that need little but a shell. Pure.
 *
 * All of them speak the same: `pid N` is who must be told to stop it (SIGINT), `ok` says that the fault is there. All of them
 * undo it by themselves when their time is over. SIGTERM is not heard: an instance that hangs must go on hanging while it is
 * taken away.
 */
import { holdProgram } from './hold-program.ts';

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

/** `$2` are the tracer's options, `$3` the seconds. */
export function traceScript(): string {
  const bytes = [...holdProgram()].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
  return `trap '' TERM
${findThreads}
program=/tmp/kurator-drill
[ -w /tmp ] || program=/kurator-drill
printf '${bytes}' >"$program" && chmod 700 "$program" || exit 3
echo "pid $$"
exec "$program" "$2" "$3" $tids`;
}

/** `$2` is STOP or KILL, `$3` the seconds. */
export function signalScript(): string {
  return `${findThreads}
undo() { [ "$2" = KILL ] || kill -CONT $pids; }
${lasting('kill -"$2" $pids', 'undo "$@"')}`;
}

/** `$2` is the percentage, `$3` the seconds. Loopback is spared. */
export function lossScript(): string {
  return `if command -v iptables >/dev/null; then
  rule="INPUT ! -i lo -m statistic --mode random --probability $(( $2 / 100 )).$(printf %02d $(( $2 % 100 ))) -j DROP"
  begin="iptables -I $rule" undo="iptables -D $rule"
elif command -v tc >/dev/null; then
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
trap '${undo}; exit 0' INT
echo "pid $$"
${begin} || { ${undo}; exit 3; }
echo ok
sleep "$3" &
wait $!
${undo}`;
}

/** Runs in the instance itself: only there its limit holds. `$1` are the loops, `$2` the seconds. */
export function burnScript(): string {
  return `burners=
left=$1
while [ "$left" -gt 0 ]; do
  (while :; do :; done) >/dev/null 2>&1 </dev/null &
  burners="$burners $!"
  left=$((left - 1))
done
(trap '' HUP; sleep "$2"; kill -9 $burners) >/dev/null 2>&1 </dev/null &
echo "$burners $!"`;
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
