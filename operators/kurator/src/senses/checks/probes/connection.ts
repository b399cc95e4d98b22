/**
 * A new connection for one run of a probe. Tells at which step it is, how long opening took, and what went wrong in
 * terms of {@link ErrorKind}. It has no timer of its own: the deadline is the scheduler's.
 */
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { ErrorKind } from '../error-kind.ts';
import { kindOfError } from '../error-kind.ts';
import type { Endpoint } from './endpoint.ts';
import type { Details } from './probe-run.ts';
import { refusalOf, type TlsPlan } from './tls-plan.ts';

/** Who uses the connection. After `failed` or `ended` nothing is called any more. */
export interface ConnectionUser {
  /** Open, and verified where TLS is spoken. */
  opened(): void;
  /** One character a byte. */
  received(text: string): void;
  /** The other side will send nothing more. */
  ended(): void;
  failed(kind: ErrorKind, message: string): void;
}

type Step = 'resolve' | 'connect' | 'handshake' | 'open' | 'closed';

/** How a deadline reads that passes at a step before the connection is open. */
const expiredKinds: Partial<Record<Step, ErrorKind>> = {
  resolve: 'checker-dns',
  connect: 'connect-timeout',
  handshake: 'tls-timeout',
};

/** One for all sockets: what was read is taken from it before the next socket is read. */
const inbox = Buffer.allocUnsafeSlow(65_536);

export class Connection {
  readonly #user: ConnectionUser;
  readonly #tls: TlsPlan | undefined;
  readonly #reading: 'text' | 'none';
  readonly #socket: Socket;
  #step: Step;
  #since = performance.now();
  #connectMs: number | undefined;
  #certificateExpiresAt: number | undefined;

  /** @param reading `none`: `received` is never called, and the user reads {@link Connection.socket} itself. */
  constructor(endpoint: Endpoint, tls: TlsPlan | undefined, user: ConnectionUser, reading: 'text' | 'none' = 'text') {
    this.#user = user;
    this.#tls = tls;
    this.#reading = reading;
    this.#step = endpoint.isAddress ? 'connect' : 'resolve';
    this.#socket = tls ? this.#openTls(endpoint, tls) : this.#openPlain(endpoint);
    const socket = this.#socket;
    if (!endpoint.isAddress) socket.once('lookup', (error: Error | null) => this.#resolved(error));
    socket.once('connect', () => this.#connected());
    socket.on('end', () => this.#ended());
    socket.on('error', (error) => this.#failed(error));
  }

  get socket(): Socket {
    return this.#socket;
  }

  /** What is known of it so far. */
  get details(): Details {
    return {
      ...(this.#connectMs !== undefined && { connectMs: this.#connectMs }),
      ...(this.#certificateExpiresAt !== undefined && { certificateExpiresAt: this.#certificateExpiresAt }),
    };
  }

  /** What it means that the time is over at this step; undefined once the connection is open. */
  get expiredKind(): ErrorKind | undefined {
    return expiredKinds[this.#step];
  }

  send(text: string): void {
    this.#socket.write(text, 'latin1');
  }

  /** Nothing is called any more. `reset` spares the kernel its TIME_WAIT, and startles some servers. */
  close(how: 'clean' | 'reset' = 'clean'): void {
    if (this.#step === 'closed') return;
    this.#step = 'closed';
    if (how === 'reset') this.#socket.resetAndDestroy();
    else this.#socket.destroy();
  }

  #openPlain({ host, port }: Endpoint): Socket {
    if (this.#reading === 'none') return connectTcp({ host, port });
    const callback = (length: number) => {
      if (this.#step === 'open') this.#user.received(inbox.toString('latin1', 0, length));
      return true;
    };
    return connectTcp({ host, port, onread: { buffer: inbox, callback } });
  }

  #openTls({ host, port }: Endpoint, tls: TlsPlan): TLSSocket {
    const socket = connectTls({ host, port, ...tls.options });
    socket.once('secureConnect', () => this.#secured(socket, tls));
    if (this.#reading === 'none') return socket;
    socket.on('data', (chunk: Buffer) => {
      if (this.#step === 'open') this.#user.received(chunk.toString('latin1'));
    });
    return socket;
  }

  #resolved(error: Error | null): void {
    if (error || this.#step !== 'resolve') return;
    this.#step = 'connect';
    this.#since = performance.now();
  }

  #connected(): void {
    if (this.#step === 'closed') return;
    this.#connectMs = performance.now() - this.#since;
    if (this.#tls) {
      this.#step = 'handshake';
      return;
    }
    this.#step = 'open';
    this.#user.opened();
  }

  #secured(socket: TLSSocket, tls: TlsPlan): void {
    if (this.#step === 'closed') return;
    // Asked for once: what Node 24.21 gives the second time was seen to lack its names.
    const certificate = socket.getPeerX509Certificate();
    this.#certificateExpiresAt = certificate?.validToDate.getTime();
    const refusal = refusalOf(socket, certificate, tls);
    if (refusal) {
      this.#fail(refusal.kind, refusal.message);
      return;
    }
    this.#step = 'open';
    this.#user.opened();
  }

  #ended(): void {
    if (this.#step === 'closed') return;
    if (this.#step === 'handshake') this.#fail('closed', 'closed the connection during the TLS handshake');
    else this.#user.ended();
  }

  #failed(error: Error): void {
    if (this.#step === 'closed') return;
    const inHandshake = this.#step === 'handshake';
    const kind = kindOfError(error, inHandshake ? 'tls-handshake' : 'checker-error');
    this.#fail(kind, inHandshake ? `TLS handshake: ${error.message}` : error.message);
  }

  #fail(kind: ErrorKind, message: string): void {
    this.close();
    this.#user.failed(kind, message);
  }
}
