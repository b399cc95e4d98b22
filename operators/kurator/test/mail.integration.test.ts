// Mail to a real server on loopback: what is said, what is never said, and what becomes of a server's refusals.
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { Reach } from '../src/access/reach.ts';
import type { AlertChannel } from '../src/resources/alert-channel.ts';
import { textOf } from '../src/voice/alerts/alert.ts';
import { smtpSink } from '../src/voice/alerts/sinks/smtp/smtp.ts';
import { anAlert } from './support/alerting/an-alert.ts';
import { type SmtpOptions, SmtpServer } from './support/alerting/smtp-server.ts';
import { selfSigned } from './support/checks/certificate.ts';

type Settings = NonNullable<AlertChannel['spec']['smtp']>;

const password = 'top-secret-password';
const credentials = { username: 'kurator', passwordFrom: { name: 'mail', key: 'password' } };
const warnings: string[] = [];

async function send({ port }: SmtpServer, settings: Partial<Settings> = {}, signal = AbortSignal.timeout(10_000)) {
  const defaults = { host: '127.0.0.1', from: 'kurator@example.com', to: ['ops@example.com'], tls: 'none' as const };
  const warn = (text: string) => void warnings.push(text);
  const tools = { secret: async () => password, now: Date.now, reach: new Reach({ allow: ['127.0.0.1'] }), warn };
  const sink = await smtpSink({ ...defaults, port, ...settings }, tools);
  await sink(anAlert(), signal);
}
const failed = async (sending: Promise<void>) =>
  await sending.then(
    () => undefined,
    (error: Error) => error,
  );
const answering = (answers: Record<string, string>): SmtpOptions => ({
  answer: (command) => Object.entries(answers).find(([start]) => command.startsWith(start))?.[1],
});

describe('a mail', () => {
  it('arrives whole, for everybody', async () => {
    await using server = await SmtpServer.open();
    await send(server, { to: ['a@example.com', 'b@example.com'] });
    expect(server.mails).toMatchObject([
      { from: 'MAIL FROM:<kurator@example.com>', to: ['RCPT TO:<a@example.com>', 'RCPT TO:<b@example.com>'] },
    ]);
    const body = server.mails[0]?.data.split('\r\n\r\n')[1] ?? '';
    expect(Buffer.from(body, 'base64').toString()).toBe(textOf(anAlert()));
  });

  it('reaches the others when one address is refused, and fails when all are', async () => {
    await using server = await SmtpServer.open(answering({ 'RCPT TO:<gone': '550 no such user' }));
    await send(server, { to: ['gone@example.com', 'ops@example.com'] });
    expect(server.mails).toHaveLength(1);
    expect(warnings.at(-1)).toBe('a recipient was left out: 127.0.0.1 refused it (it said 550 no such user)');
    expect(await failed(send(server, { to: ['gone@example.com'] }))).toMatchObject({ isAboutAlert: false });
    expect(server.mails).toHaveLength(1);
  });

  it('is delivered once it is taken, whatever becomes of the goodbye', async () => {
    await using server = await SmtpServer.open(answering({ QUIT: '421 hurry up' }));
    await send(server);
    expect(server.mails).toHaveLength(1);
  });

  it('that is refused for what it is, is told from a server that is in trouble', async () => {
    await using strict = await SmtpServer.open(answering({ 'MAIL DATA': '554 looks like spam' }));
    expect(await failed(send(strict))).toMatchObject({
      isAboutAlert: true,
      message: '127.0.0.1 refused it',
      detail: 'it said 554 looks like spam',
    });
    await using busy = await SmtpServer.open(answering({ 'MAIL DATA': '451 later' }));
    expect(await failed(send(busy))).toMatchObject({ isAboutAlert: false });
    await using closed = await SmtpServer.open(answering({ MAIL: '550-go\r\n550 away' }));
    expect(await failed(send(closed))).toMatchObject({ isAboutAlert: false, message: '127.0.0.1 refused it' });
  });

  it('to a server that says nothing ends when the time is up', async () => {
    await using mute = await SmtpServer.open({ isMute: true });
    const { message } = (await failed(send(mute, {}, AbortSignal.timeout(200)))) ?? {};
    expect(message).toBe('127.0.0.1 did not answer in time');
    expect((await failed(send(mute, { tls: 'implicit' }, AbortSignal.timeout(200))))?.message).toBe(message);
  });

  it('to nobody there fails at once', async () => {
    const server = await SmtpServer.open();
    const { port } = server;
    await server[Symbol.asyncDispose]();
    expect((await failed(send({ port } as SmtpServer)))?.message).toBe("127.0.0.1 can't be reached");
  });

  it.each(['ops@example.com\r\nDATA', 'Ops <ops@example.com>', 'a@example.com>\r\nRCPT TO:<b@example.com'])(
    'is not sent to %j',
    async (address) => {
      await using server = await SmtpServer.open();
      expect((await failed(send(server, { to: [address] })))?.message).toMatch('is no plain address');
      expect(server.lines).toEqual([]);
    },
  );
});

describe('under TLS', () => {
  it('a certificate that nobody vouches for is not trusted: nothing is said', async () => {
    await using server = await SmtpServer.open({ tls: selfSigned() });
    const error = await failed(send(server, { tls: 'starttls', ...credentials }));
    expect(error).toMatchObject({
      message: "127.0.0.1 can't be reached",
      detail: expect.stringMatching(/^(DEPTH_ZERO_SELF_SIGNED_CERT|ERR_TLS)/),
    });
    expect(server.lines.filter((line) => !line.startsWith('EHLO'))).toEqual(['STARTTLS']);
    expect(server.mails).toEqual([]);
  });

  it('it logs in and sends where the certificate is trusted, and shows nothing of what a server says of a password', async () => {
    const tls = selfSigned();
    const before = getCACertificates('default');
    setDefaultCACertificates([tls.cert]);
    try {
      await using server = await SmtpServer.open({ tls });
      await send(server, { tls: 'starttls', ...credentials });
      expect(server.mails).toMatchObject([{ isSecured: true, credentials: `\0kurator\0${password}` }]);
      await using refusing = await SmtpServer.open({ tls, ...answering({ AUTH: `535 wrong: ${password}` }) });
      expect(await failed(send(refusing, { tls: 'starttls', ...credentials }))).toMatchObject({
        message: '127.0.0.1 refused it',
        detail: 'it said 535',
      });
    } finally {
      setDefaultCACertificates(before);
    }
  });

  it('nothing is sent where the server offers none, and no password without it', async () => {
    await using server = await SmtpServer.open();
    expect((await failed(send(server, { tls: 'starttls' })))?.message).toMatch('offers no TLS');
    expect((await failed(send(server, { tls: 'none', ...credentials })))?.message).toMatch('no password is sent');
    expect(server.lines.every((line) => line.startsWith('EHLO'))).toBe(true);
  });

  it('what was slipped in before it is not listened to', async () => {
    const answer = (line: string) => (line === 'STARTTLS' ? '220 go\r\n250 injected' : undefined);
    await using server = await SmtpServer.open({ tls: selfSigned(), answer });
    expect((await failed(send(server, { tls: 'starttls' })))?.message).toMatch('went on talking before TLS');
  });
});
