/** One side speaks, then the other. Whatever goes wrong, and an answer that never comes, ends as a {@link SinkError}. */
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { Reach } from '../../../../access/reach.ts';
import { unreached } from '../post.ts';
import { SinkError } from '../sink.ts';

interface Place {
  readonly host: string;
  readonly port: number;
  /** From the beginning, before anything is said. */
  readonly tls: boolean;
}

/** How an answer is to be taken. */
export interface Manner {
  /** What we say is a secret: what is answered is not shown. */
  readonly isSecret?: boolean;
  /** A refusal for ever is about the alert, not about the server. */
  readonly isAboutAlert?: boolean;
}

const LONGEST_ANSWER = 64 * 1024;
const LONGEST_QUOTE = 200;
/** What is said of an answer, by its first digit. */
const refusals: Readonly<Record<string, string>> = { '4': 'refused it for now', '5': 'refused it' };

export class Conversation {
  readonly #host: string;
  readonly #signal: AbortSignal;
  #socket: Socket;
  #heard = '';
  #failure: SinkError | undefined;
  #onNews: () => void = () => {};

  /** Connects; it is over when the signal fires. */
  static async open(
    { host, port, tls }: Place,
    { signal, reach }: { signal: AbortSignal; reach: Reach },
  ): Promise<Conversation> {
    try {
      reach.check(host);
    } catch (error) {
      throw unreached(host, error, signal);
    }
    const to = { host, port, lookup: reach.lookup };
    const socket = tls ? connectTls({ ...to, ...serverName(host) }) : connectPlain(to);
    const talk = new Conversation(socket, host, signal);
    await talk.#connected(socket, tls ? 'secureConnect' : 'connect');
    return talk;
  }

  private constructor(socket: Socket, host: string, signal: AbortSignal) {
    this.#host = host;
    this.#signal = signal;
    this.#socket = socket;
    signal.addEventListener('abort', this.#onAbort, { once: true });
    this.#listen(socket);
  }

  /** Whether nothing can be said any more. */
  get isOver(): boolean {
    return this.#failure !== undefined;
  }

  /**
   * Says a line and waits for what is answered.
   *
   * @param code The answer's code that means yes, or what it begins with.
   * @returns The whole answer.
   */
  async say(line: string, code: number, manner: Manner = {}): Promise<string> {
    this.#socket.write(`${line}\r\n`);
    return await this.expect(code, manner);
  }

  async expect(code: number, { isSecret = false, isAboutAlert = false }: Manner = {}): Promise<string> {
    const answer = await this.#answer();
    const [last = ''] = answer.trimEnd().split('\n').slice(-1);
    if (last.startsWith(String(code))) return answer;
    const quoted = last.slice(0, isSecret ? 3 : LONGEST_QUOTE).replaceAll(/[^ -~]/g, '');
    throw new SinkError(`${this.#host} ${refusals[last.charAt(0)] ?? 'does not speak SMTP'}`, {
      isAboutAlert: isAboutAlert && last.startsWith('5'),
      detail: `it said ${quoted}`,
    });
  }

  /** Goes on under TLS. What came before it counts for nothing: anybody on the way could have said it. */
  async secure(): Promise<void> {
    if (this.#heard !== '') throw new SinkError(`${this.#host} went on talking before TLS`);
    const plain = this.#socket;
    plain.removeAllListeners('data');
    const secured = connectTls({ socket: plain, host: this.#host, ...serverName(this.#host) });
    this.#socket = secured;
    this.#listen(secured);
    await this.#connected(secured, 'secureConnect');
  }

  /** Says something to which no answer is waited for. */
  leave(line: string): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#socket.end(`${line}\r\n`);
  }

  end(): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
    // What was said last is still sent.
    this.#socket.destroySoon();
  }

  readonly #onAbort = () => {
    this.#fail(new SinkError(`${this.#host} did not answer in time`));
    this.#socket.destroy();
  };

  #listen(socket: Socket | TLSSocket): void {
    socket.on('data', (bytes) => {
      this.#heard += bytes.toString('latin1');
      if (this.#heard.length > LONGEST_ANSWER) this.#fail(new SinkError(`${this.#host} said too much`));
      this.#onNews();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => this.#fail(unreached(this.#host, error, this.#signal)));
    socket.on('close', () => this.#fail(new SinkError(`${this.#host} closed the connection`)));
  }

  async #connected(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
    let isConnected = false;
    socket.once(event, () => {
      isConnected = true;
      this.#onNews();
    });
    await this.#until(() => isConnected);
  }

  /** An answer's last line has a space after its code, or nothing; the others have a dash. */
  async #answer(): Promise<string> {
    const ending = /^\d{3}(?: [^\n]*)?\r?\n/m;
    const end = await this.#until(() => ending.exec(this.#heard));
    const length = end.index + end[0].length;
    const answer = this.#heard.slice(0, length);
    this.#heard = this.#heard.slice(length);
    return answer;
  }

  async #until<T>(look: () => T | null | false): Promise<T> {
    return await new Promise<T>((resolve, reject) => {
      this.#onNews = () => {
        const seen = look();
        if (seen) resolve(seen);
        else if (this.#failure) reject(this.#failure);
        else if (this.#signal.aborted) this.#onAbort();
      };
      this.#onNews();
    });
  }

  #fail(failure: SinkError): void {
    this.#failure ??= failure;
    this.#onNews();
  }
}

/** An address is no name that a certificate could be asked for by. */
function serverName(host: string): { servername?: string } {
  return isIP(host) ? {} : { servername: host };
}
