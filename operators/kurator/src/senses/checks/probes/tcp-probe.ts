/** Does a connection open? */
import type { TcpProbe } from '../check.ts';
import type { ErrorKind } from '../error-kind.ts';
import { Connection, type ConnectionUser } from './connection.ts';
import { type Endpoint, endpointOf } from './endpoint.ts';
import { type Finding, findingOf, type ProbeRun, type StartProbe } from './probe-run.ts';

type Close = NonNullable<TcpProbe['close']>;

class TcpRun implements ProbeRun, ConnectionUser {
  readonly #report: (finding: Finding) => void;
  readonly #connection: Connection;
  readonly #close: Close;

  constructor(endpoint: Endpoint, close: Close, report: (finding: Finding) => void) {
    this.#report = report;
    this.#close = close;
    this.#connection = new Connection(endpoint, undefined, this, 'none');
  }

  opened(): void {
    const { details } = this.#connection;
    this.#connection.close(this.#close);
    this.#report({ outcome: 'healthy', message: '', ...details });
  }

  failed(kind: ErrorKind, message: string): void {
    this.#report(findingOf(kind, message, this.#connection.details));
  }

  expire(): void {
    const kind = this.#connection.expiredKind ?? 'connect-timeout';
    this.#connection.close();
    this.failed(kind, '');
  }

  abandon(): void {
    this.#connection.close();
  }

  // Nothing is asked: it is over as soon as the connection is open.
  received(): void {}
  ended(): void {}
}

/** Throws `InvalidCheck` where the probe can't be run. */
export function prepareTcp(probe: TcpProbe): StartProbe {
  const endpoint = endpointOf(probe);
  const close = probe.close ?? 'clean';
  return (report) => new TcpRun(endpoint, close, report);
}
