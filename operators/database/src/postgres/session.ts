/** A connection to the postgres of this pod, by the socket that nobody else sees. */
import { Client } from 'pg';

/** What a query gives, a row each. */
export type Rows = readonly Readonly<Record<string, unknown>>[];

/** Where postgres listens for its own pod. */
export interface Socket {
  readonly folder: string;
  readonly port: number;
}

/** Kept open, and opened anew where it was lost. One question at a time. */
export class Session {
  readonly #folder: string;
  readonly #port: number;
  readonly #database: string;
  #client: Client | undefined;
  #warnings: string[] = [];
  #turn: Promise<unknown> = Promise.resolve();

  constructor({ folder, port }: Socket, database = 'postgres') {
    this.#folder = folder;
    this.#port = port;
    this.#database = database;
  }

  /** @param patience In milliseconds. What gives no answer is given up, and the connection with it. */
  async query(text: string, values: readonly unknown[] = [], patience = 5000): Promise<Rows> {
    const turn = this.#turn.then(() => this.#ask(text, values, patience));
    this.#turn = turn.catch(() => undefined);
    return await turn;
  }

  /** What postgres warned of since this was last asked: a wait for replicas that was cut short is told so alone. */
  takeWarnings(): readonly string[] {
    return this.#warnings.splice(0);
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => undefined);
  }

  async #ask(text: string, values: readonly unknown[], patience: number): Promise<Rows> {
    const client = await this.#connected(patience);
    try {
      const { rows } = await client.query({ text, values: [...values], query_timeout: patience } as never);
      return rows as Rows;
    } catch (error) {
      // An answer is an answer; anything else leaves a connection that nobody knows the state of.
      if (!(error as { code?: string }).code?.match(/^[0-9A-Z]{5}$/)) this.#drop(client);
      throw error;
    }
  }

  async #connected(patience: number): Promise<Client> {
    if (this.#client) return this.#client;
    const client = new Client({
      host: this.#folder,
      port: this.#port,
      user: 'postgres',
      database: this.#database,
      connectionTimeoutMillis: Math.min(patience, 3000),
      application_name: 'kurator',
    });
    client.on('error', () => this.#drop(client));
    client.on('notice', ({ message = '' }) => this.#warnings.push(message));
    client.on('end', () => this.#drop(client));
    await client.connect();
    this.#client = client;
    return client;
  }

  #drop(client: Client): void {
    if (this.#client === client) this.#client = undefined;
    void client.end().catch(() => undefined);
  }
}
