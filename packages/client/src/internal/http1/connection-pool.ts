/**
 * Connections to one server, kept for the next request. What was used last is used next, so that the others grow old
 * and are given up; requests beyond the limit wait in the order in which they came.
 */
import type { Socket } from 'node:net';
import type { Deadline } from '../deadline.ts';
import { Connection } from './connection.ts';

/** How many connections, and for how long. */
export interface ConnectionPoolOptions {
  connect(): Promise<Socket>;
  /** Connections at the same time. */
  limit: number;
  /** Milliseconds that a connection may rest. */
  keepAlive: number;
}

type Waiting = { resolve(connection: Connection): void; reject(error: unknown): void };

export class ConnectionPool {
  readonly #options: ConnectionPoolOptions;
  readonly #idle: Connection[] = [];
  readonly #all = new Set<Connection>();
  readonly #waiting = new Set<Waiting>();
  #connecting = 0;
  /** Set when it is to end; resolves when it has. */
  #closing: PromiseWithResolvers<void> | undefined;
  #sweep: NodeJS.Timeout | undefined;

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
  }

  /** A connection that rests, if there is one. */
  takeIdle(): Connection | undefined {
    const connection = this.#idle.pop();
    if (!connection) return undefined;
    const rested = performance.now() - connection.idleSince;
    if (connection.usable && rested < this.#options.keepAlive) return connection;
    this.#drop(connection);
    return this.takeIdle();
  }

  /** A connection, made if need be, when it is this one's turn. */
  async take(deadline: Deadline): Promise<Connection> {
    if (deadline.over) throw deadline.reason;
    const { promise, resolve, reject } = Promise.withResolvers<Connection>();
    const waiting = { resolve, reject };
    this.#waiting.add(waiting);
    const forget = deadline.whenOver((reason) => {
      this.#waiting.delete(waiting);
      reject(reason);
    });
    this.#grow();
    try {
      return await promise;
    } finally {
      forget();
    }
  }

  /** Takes back a connection on which nothing was sent. */
  giveBack(connection: Connection): void {
    this.#onFree(connection, connection.usable);
  }

  /** Ends what rests now, and everything else when it is done; resolves then. */
  close(): Promise<void> {
    this.#closing ??= Promise.withResolvers<void>();
    clearInterval(this.#sweep);
    for (const connection of this.#idle.splice(0)) this.#drop(connection);
    this.#endIfEmpty();
    return this.#closing.promise;
  }

  destroy(error: unknown): void {
    void this.close();
    for (const { reject } of this.#waiting) reject(error);
    this.#waiting.clear();
    for (const connection of this.#all) connection.destroy(error);
    this.#all.clear();
    this.#endIfEmpty();
  }

  #endIfEmpty(): void {
    if (this.#all.size + this.#connecting + this.#waiting.size === 0) this.#closing?.resolve();
  }

  #grow(): void {
    const { limit } = this.#options;
    while (this.#connecting < this.#waiting.size && this.#all.size + this.#connecting < limit) {
      this.#connecting += 1;
      void this.#connect();
    }
  }

  async #connect(): Promise<void> {
    try {
      const socket = await this.#options.connect();
      this.#connecting -= 1;
      const connection = new Connection(socket, this.#onFree);
      this.#all.add(connection);
      this.#give(connection);
    } catch (error) {
      this.#connecting -= 1;
      // Each attempt was made for one of them.
      const [first] = this.#waiting;
      if (first) this.#waiting.delete(first);
      first?.reject(error);
      this.#grow();
      this.#endIfEmpty();
    }
  }

  readonly #onFree = (connection: Connection, reusable: boolean): void => {
    if (reusable && this.#all.has(connection)) {
      this.#give(connection);
      return;
    }
    this.#all.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
    this.#grow();
    this.#endIfEmpty();
  };

  #give(connection: Connection): void {
    const [next] = this.#waiting;
    if (next) {
      this.#waiting.delete(next);
      next.resolve(connection);
    } else if (this.#closing) {
      this.#drop(connection);
    } else {
      connection.rest();
      this.#idle.push(connection);
      this.#sweep ??= setInterval(this.#giveUpOld, this.#options.keepAlive / 2).unref();
    }
  }

  readonly #giveUpOld = (): void => {
    const longAgo = performance.now() - this.#options.keepAlive;
    while (this.#idle[0] && this.#idle[0].idleSince <= longAgo) this.#drop(this.#idle.shift() as Connection);
  };

  #drop(connection: Connection): void {
    this.#all.delete(connection);
    connection.destroy();
    this.#endIfEmpty();
  }
}
