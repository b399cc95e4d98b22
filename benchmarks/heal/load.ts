/** What a subject is to check, told by the environment, and what it says when it has done so. */

/** The same for every subject. */
export interface Load {
  readonly kind: 'tcp' | 'http';
  readonly checks: number;
  readonly intervalMs: number;
  readonly timeoutMs: number;
  /** Until what is measured begins. */
  readonly warmSeconds: number;
  readonly measureSeconds: number;
  /** As fast as one core goes, instead of once an interval. */
  readonly flatOut: boolean;
  /** The first of the targets' ports. */
  readonly port: number;
}

/** Targets lie on so many addresses and ports: one alone would run out of ephemeral ports. */
export const hosts = 50;
export const ports = 10;

/** What a subject found while it was measured. */
export interface Findings {
  readonly results: number;
  /** Not healthy. Every target is healthy, so there should be none. */
  readonly failed: number;
  /** Periods in which a check was not run. */
  readonly missed: number;
  /** Lateness of the starts, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** For the subject's process. */
export function environmentOf(load: Load): Record<string, string> {
  return {
    KIND: load.kind,
    CHECKS: String(load.checks),
    INTERVAL_MS: String(load.intervalMs),
    TIMEOUT_MS: String(load.timeoutMs),
    WARM_S: String(load.warmSeconds),
    MEASURE_S: String(load.measureSeconds),
    FLAT_OUT: load.flatOut ? '1' : '',
    PORT: String(load.port),
    HOSTS: String(hosts),
    PORTS: String(ports),
  };
}

/** In the subject's process. */
export function loadFromEnvironment(env: NodeJS.ProcessEnv): Load {
  return {
    kind: env.KIND === 'tcp' ? 'tcp' : 'http',
    checks: Number(env.CHECKS),
    intervalMs: Number(env.INTERVAL_MS),
    timeoutMs: Number(env.TIMEOUT_MS),
    warmSeconds: Number(env.WARM_S),
    measureSeconds: Number(env.MEASURE_S),
    flatOut: env.FLAT_OUT === '1',
    port: Number(env.PORT),
  };
}

/** Where the check with this number connects to. */
export function targetOf(i: number, { port }: Load): { host: string; port: number } {
  return { host: `127.0.0.${1 + (Math.floor(i / ports) % hosts)}`, port: port + (i % ports) };
}
