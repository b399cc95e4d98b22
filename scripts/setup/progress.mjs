/**
 * Says on standard error what long work is doing: on a terminal one line that is kept up to date, elsewhere a line
 * every quarter of a minute, so that a log stays readable and a quiet machine is not taken for a dead one.
 */

const QUIET_MS = 2_000;
const REDRAW_MS = 500;
const LOG_EVERY_MS = 15_000;

/** `820 ms`, `12.3 s`, `4 min 5 s`. */
export function elapsed(/** @type {number} */ ms) {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  // Rounded first: 59.96 s is a minute, not `60.0 s`.
  const seconds = Math.round(ms / 100) / 10;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/**
 * @template T
 * @param {string} title what is being done, as `Installing packages`
 * @param {() => Promise<T>} work
 * @param {object} [options]
 * @param {() => string} [options.detail] how far it has come
 * @param {NodeJS.WriteStream} [options.stream] standard error unless told
 * @returns {Promise<T>}
 */
export async function withProgress(title, work, { detail = () => '', stream = process.stderr } = {}) {
  const start = performance.now();
  const line = () => [title, detail(), elapsed(performance.now() - start)].filter(Boolean).join(', ');
  const stop = stream.isTTY ? keepLine(stream, line) : logLines(stream, line);
  try {
    return await work();
  } finally {
    stop();
  }
}

/**
 * @param {NodeJS.WriteStream} stream
 * @param {() => string} line
 */
function keepLine(stream, line) {
  const start = performance.now();
  const timer = setInterval(() => {
    if (performance.now() - start < QUIET_MS) return;
    stream.write(`\r\x1b[K${line().slice(0, (stream.columns || 80) - 1)}`);
  }, REDRAW_MS);
  return () => {
    clearInterval(timer);
    stream.write('\r\x1b[K');
  };
}

/**
 * @param {NodeJS.WriteStream} stream
 * @param {() => string} line
 */
function logLines(stream, line) {
  const timer = setInterval(() => stream.write(`${line()}\n`), LOG_EVERY_MS);
  return () => clearInterval(timer);
}
