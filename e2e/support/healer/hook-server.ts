/** A dependant's hook, on this machine: it notes what it is asked, and answers as a story wants. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a hook is asked. */
export interface Question {
  readonly notice: string;
  readonly phase: 'before' | 'after';
  /** Whose repair it is about: `default/database#1`. */
  readonly incident: string;
  /** When it came. */
  readonly at: number;
}

export class HookServer implements AsyncDisposable {
  readonly asked: Question[] = [];
  /** The status that it answers with; undefined: it takes the question, and says nothing. */
  answer: number | undefined = 200;
  readonly #server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    this.asked.push({ ...(JSON.parse(body) as Omit<Question, 'at'>), at: Date.now() });
    if (this.answer !== undefined) response.writeHead(this.answer).end();
  });

  /** @param host An address of this machine that pods reach. */
  static async open(host: string): Promise<HookServer> {
    const hook = new HookServer();
    await new Promise<void>((resolve) => hook.#server.listen(0, host, resolve));
    return hook;
  }

  get url(): string {
    const { address, port } = this.#server.address() as AddressInfo;
    return `http://${address}:${port}/`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
