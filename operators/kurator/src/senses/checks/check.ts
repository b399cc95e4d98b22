/** What a health check is: plain data, made from a spec by whoever schedules it, run by probes/. */

/** Which check of which target: together they name one {@link Check} of a scheduler. */
export interface CheckKey {
  /** What is looked at, as the caller names it: a pod, a Service. */
  readonly target: string;
  /** The check's name, unique for its target. */
  readonly check: string;
}

/** One check of one target, repeated for as long as the scheduler has it. */
export interface Check extends CheckKey {
  readonly probe: Probe;
  /** For everything together, from the first packet to the last byte that is read. 1 to 600,000 ms. */
  readonly timeoutMs: number;
  /** From one start to the next, at most: jitter only shortens it. 1 to 86,400,000 ms. */
  readonly intervalMs: number;
}

/** How a target is asked. */
export type Probe = TcpProbe | HttpProbe | GrpcProbe | ExecProbe;

interface NetworkProbe {
  /** An address, or a name. A name costs a lookup each time, and trouble with it reads unknown. */
  readonly host: string;
  readonly port: number;
  /** Whether it must not be asked there: then it reads unknown, and no connection is opened. False unless given. */
  readonly isRefused?: boolean;
}

/** Healthy when a connection opens. A process that hangs still passes: the kernel opens connections for it. */
export interface TcpProbe extends NetworkProbe {
  readonly kind: 'tcp';
  /**
   * `clean` (the default) says goodbye as any client would. `reset` leaves no TIME_WAIT and a shorter conntrack entry
   * behind, but many servers log an error for each: only for thousands of checks a second of servers that don't.
   */
  readonly close?: 'clean' | 'reset';
}

/** Healthy when the answer is as expected. Each run opens a connection of its own. */
export interface HttpProbe extends NetworkProbe {
  readonly kind: 'http';
  /** Without it plain HTTP is spoken. */
  readonly tls?: TlsSettings;
  /** Default GET. */
  readonly method?: string;
  /** With its query. Default `/`. */
  readonly path?: string;
  /** Default: host and port. */
  readonly hostHeader?: string;
  /** Sent besides Host, User-Agent, Accept and Connection; User-Agent and Accept may be replaced. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How many redirects to follow, 0 to 10, only ever to the same host. Default 0: a redirect is an answer. */
  readonly redirects?: number;
  readonly expect?: HttpExpectation;
}

/** What makes an HTTP answer a healthy one; all of it must hold. */
export interface HttpExpectation {
  /** From and to, both included. Default 200 to 399, as the kubelet's probes have it. */
  readonly statuses?: readonly (readonly [from: number, to: number])[];
  /** Response headers that must be there and contain the text; names in any case, an empty text means any value. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Must occur in the first {@link HttpExpectation.bodyBytes} of the body. */
  readonly bodyContains?: string;
  /** A regular expression that must match there. One that takes longer than 50 ms reads unknown. */
  readonly bodyMatches?: string;
  /** How much of the body is read. Default 65,536, at most 1,048,576. */
  readonly bodyBytes?: number;
}

/** How a server's identity is verified. */
export interface TlsSettings {
  /** The name asked for and verified. Default: the Host header's name, else the address. */
  readonly serverName?: string;
  /** Certificate authorities in PEM, instead of the well-known ones. */
  readonly ca?: string;
  /** Accept any certificate; its expiry is still reported. Default false. */
  readonly skipVerify?: boolean;
}

/** The standard health service of gRPC (`grpc.health.v1.Health/Check`). */
export interface GrpcProbe extends NetworkProbe {
  readonly kind: 'grpc';
  /** Default: empty, the server as a whole. */
  readonly service?: string;
  /** The `:authority` header. Default: host and port. */
  readonly authority?: string;
  readonly tls?: TlsSettings;
}

/** Healthy when the command ends with 0. */
export interface ExecProbe {
  readonly kind: 'exec';
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Program and arguments; no shell in between. */
  readonly command: readonly string[];
}

/** Says what is wrong with a check's definition, and how to write it. Such a check reads unknown, never failing. */
export class InvalidCheck extends Error {
  override readonly name = 'InvalidCheck';
}

/** Throws {@link InvalidCheck} unless the condition holds. */
export function must(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvalidCheck(message);
}
