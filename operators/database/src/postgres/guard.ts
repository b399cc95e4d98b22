/**
 * The program of PID 1 in the database's container: it starts, stops and kills postgres, and knows nothing else. It is a script of POSIX
 * sh because every image of PostgreSQL has that, and it takes orders by files, so that whoever gives them may die without the database.
 *
 * In the folder that both containers see:
 *
 * | file       | by    | says                                                                                        |
 * | ---------- | ----- | ------------------------------------------------------------------------------------------- |
 * | `deadline` | brain | `none`, or hundredths of a second of /proc/uptime: past it postgres is not running          |
 * | `order`    | brain | `N run`, `N fast` or `N immediate`; each N is carried out once                              |
 * | `job`      | brain | `N`: run `job.sh`, with postgres stopped                                                    |
 * | `state`    | guard | uptime, boot, pid of postgres or `-`, how it ended or `-`, last order, last job, its result or `-` |
 *
 * Past the deadline postgres gets SIGQUIT, and SIGKILL after two seconds. A container that starts anew carries out no order from before.
 */
export const GUARD = String.raw`
set -u
umask 077
PATH=/usr/lib/postgresql/$PGMAJOR/bin:/usr/pgsql-$PGMAJOR/bin:$PATH:/usr/local/bin
export PATH
cd "$GUARD_DIR" || exit 1
boot=$(od -An -N6 -tx1 /dev/urandom | tr -d ' \n')
postgres= ended=- kill_at= deadline=0 order=0 job=0 job_pid= job_result=- leaving=

# Hundredths of a second since the machine was started: no clock that anybody sets.
look_at_clock() { read -r up rest < /proc/uptime; now=$\{up%.*}$\{up#*.}; }
tell() { printf '%s %s %s %s %s %s %s\n' "$now" "$boot" "$\{postgres:--}" "$ended" "$order" "$job" "$job_result" > state; }
kill_all() {
  # Whatever is in this container but this script: nothing that postgres left behind may go on.
  if [ $$ -eq 1 ]; then kill -KILL -1 2>/dev/null; else kill -KILL "$postgres" 2>/dev/null; fi
}
is_past() { [ "$deadline" != none ] && [ "$now" -ge "$deadline" ]; }

n= what=; [ -r order ] && read -r n what < order; order=$\{n:-0}
n=; [ -r job ] && read -r n < job; job=$\{n:-0}
trap 'leaving=1' TERM INT

while :; do
  look_at_clock
  n=; [ -r deadline ] && read -r n < deadline; deadline=$\{n:-$deadline}

  if [ -n "$postgres" ] && ! kill -0 "$postgres" 2>/dev/null; then
    wait "$postgres"; ended=$?; postgres= kill_at=
  fi
  if [ -n "$job_pid" ] && ! kill -0 "$job_pid" 2>/dev/null; then
    wait "$job_pid"; job_result=$?; job_pid=
  fi

  if [ -n "$postgres" ] && is_past; then
    if [ -z "$kill_at" ]; then kill -QUIT "$postgres"; kill_at=$((now + 200))
    elif [ "$now" -ge "$kill_at" ]; then kill_all; fi
  fi

  n= what=; [ -r order ] && read -r n what < order
  if [ -n "$n" ] && [ "$n" != "$order" ] && [ -z "$leaving" ]; then
    case $what in
      run)
        if [ -z "$postgres" ] && [ -z "$job_pid" ] && ! is_past; then
          ended=-
          postgres -D "$PGDATA" & postgres=$!
        fi ;;
      fast) [ -n "$postgres" ] && kill -INT "$postgres" ;;
      immediate) [ -n "$postgres" ] && kill -QUIT "$postgres" ;;
    esac
    order=$n
  fi

  n=; [ -r job ] && read -r n < job
  if [ -n "$n" ] && [ "$n" != "$job" ] && [ -z "$postgres$job_pid$leaving" ]; then
    job=$n job_result=-
    sh ./job.sh > job.log 2>&1 & job_pid=$!
  fi

  if [ -n "$leaving" ]; then
    [ "$leaving" = 1 ] && [ -n "$postgres" ] && kill -INT "$postgres"
    [ -n "$job_pid" ] && kill -TERM "$job_pid" 2>/dev/null
    leaving=2
    if [ -z "$postgres$job_pid" ]; then tell; exit 0; fi
  fi
  tell
  sleep 0.1
done
`.replaceAll('$\\{', () => '${');
