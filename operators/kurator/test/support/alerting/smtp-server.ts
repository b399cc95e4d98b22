/** A real, tiny mail server on loopback: enough of RFC 5321 to take mails, with STARTTLS and AUTH. */
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** One mail. */
export interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly data: string;
  readonly isSecured: boolean;
  /** As it was given with AUTH PLAIN. */
  readonly credentials: string | undefined;
}

/** How it behaves. */
export interface SmtpOptions {
  /** With this it offers STARTTLS. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Its own answer to a command, or to `MAIL DATA` for the whole mail. */
  readonly answer?: (command: string) => string | undefined;
  /** Says nothing at all. */
  readonly isMute?: boolean;
}

interface Session {
  from: string;
  to: string[];
  data: string | undefined;
  isSecured: boolean;
  credentials: string | undefined;
}

/** Takes mails. */
export class SmtpServer implements AsyncDisposable {
  readonly mails: Mail[] = [];
  /** Every line that came, in order. */
  readonly lines: string[] = [];
  readonly #options: SmtpOptions;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((socket) => {
    this.#sockets.add(socket);
    socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket));
    if (this.#options.isMute) return;
    this.#serve(socket, { from: '', to: [], data: undefined, isSecured: false, credentials: undefined });
    socket.write('220 mail.test ready\r\n');
  });

  private constructor(options: SmtpOptions) {
    this.#options = options;
  }

  static async open(options: SmtpOptions = {}): Promise<SmtpServer> {
    const server = new SmtpServer(options);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  #serve(socket: Socket, session: Session): void {
    let heard = '';
    socket.on('data', (bytes) => {
      heard += bytes.toString('utf8');
      for (let end = heard.indexOf('\r\n'); end >= 0; end = heard.indexOf('\r\n')) {
        const line = heard.slice(0, end);
        heard = heard.slice(end + 2);
        this.lines.push(line);
        const answer = this.#answerTo(line, session);
        if (answer !== undefined) socket.write(`${answer}\r\n`);
        if (line === 'STARTTLS' && answer?.startsWith('220')) return this.#secure(socket, session);
      }
    });
  }

  #secure(socket: Socket, session: Session): void {
    socket.removeAllListeners('data');
    const secured = new TLSSocket(socket, { isServer: true, ...this.#options.tls });
    secured.on('error', () => {});
    this.#serve(secured, { ...session, isSecured: true });
  }

  #answerTo(line: string, session: Session): string | undefined {
    if (session.data !== undefined) return this.#answerToData(line, session);
    const own = this.#options.answer?.(line);
    if (own !== undefined) return own;
    const [verb = ''] = line.toUpperCase().split(' ');
    if (verb === 'EHLO') return this.#offers(session);
    if (verb === 'AUTH') session.credentials = Buffer.from(line.split(' ')[2] ?? '', 'base64').toString();
    if (verb === 'MAIL') session.from = line;
    if (verb === 'RCPT') session.to.push(line);
    if (verb === 'DATA') session.data = '';
    return { STARTTLS: '220 go', AUTH: '235 in', DATA: '354 say it', QUIT: '221 bye' }[verb] ?? '250 ok';
  }

  #offers({ isSecured }: Session): string {
    const offers = ['SIZE 1000000', ...(this.#options.tls && !isSecured ? ['STARTTLS'] : []), 'AUTH PLAIN'];
    return ['250-mail.test', ...offers.slice(0, -1).map((one) => `250-${one}`), `250 ${offers.at(-1)}`].join('\r\n');
  }

  #answerToData(line: string, session: Session): string | undefined {
    if (line !== '.') {
      session.data += `${line}\r\n`;
      return undefined;
    }
    const { from, to, data = '', isSecured, credentials } = session;
    session.data = undefined;
    const own = this.#options.answer?.('MAIL DATA');
    if (own !== undefined) return own;
    this.mails.push({ from, to: [...to], data, isSecured, credentials });
    return '250 taken';
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
