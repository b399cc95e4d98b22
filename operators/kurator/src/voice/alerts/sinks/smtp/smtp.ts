/** Mail, by the little of SMTP that it takes (RFC 5321): greeting, TLS, who we are, the message, goodbye. */
import { hostname } from 'node:os';
import type { AlertChannel } from '../../../../resources/alert-channel.ts';
import type { Alert } from '../../alert.ts';
import { type Sink, SinkError, type SinkTools } from '../sink.ts';
import { Conversation } from './conversation.ts';
import { mailOf, refuseBadAddresses } from './mail.ts';

type Settings = NonNullable<AlertChannel['spec']['smtp']>;

export async function smtpSink(settings: Settings, { secret, warn, reach }: SinkTools): Promise<Sink> {
  refuseBadAddresses(settings);
  const { host, port, tls } = settings;
  const password = settings.passwordFrom && (await secret(settings.passwordFrom));
  if (settings.username && password === undefined) throw new SinkError('smtp.username needs smtp.passwordFrom');
  if (settings.username && tls === 'none') throw new SinkError('no password is sent without TLS: set smtp.tls');
  return async (alert, signal) => {
    const talk = await Conversation.open({ host, port, tls: tls === 'implicit' }, { signal, reach });
    try {
      const offers = await introduce(talk, settings);
      if (settings.username) await logIn(talk, offers, settings.username, password ?? '');
      await send(talk, settings, alert, warn);
    } finally {
      talk.end();
    }
  };
}

/** Gives what the server offers; after STARTTLS only what it says then counts. */
async function introduce(talk: Conversation, { tls, host }: Settings): Promise<string> {
  await talk.expect(220);
  // Anything that names this machine will do; what is no domain is refused by some.
  const hello = `EHLO ${hostname().replaceAll(/[^\w.-]/g, '-') || 'localhost'}`;
  const offers = await talk.say(hello, 250);
  if (tls !== 'starttls') return offers;
  if (!/^250[ -]STARTTLS/im.test(offers)) throw new SinkError(`${host} offers no TLS: nothing is sent without it`);
  await talk.say('STARTTLS', 220);
  await talk.secure();
  return await talk.say(hello, 250);
}

async function logIn(talk: Conversation, offers: string, username: string, password: string): Promise<void> {
  const methods = /^250[ -]AUTH[ =](.*)$/im.exec(offers)?.[1]?.toUpperCase() ?? '';
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  // What a server answers to a secret may hold it.
  const secretly = { isSecret: true };
  if (/\bLOGIN\b/.test(methods) && !/\bPLAIN\b/.test(methods)) {
    await talk.say('AUTH LOGIN', 334);
    await talk.say(base64(username), 334, secretly);
    await talk.say(base64(password), 235, secretly);
    return;
  }
  await talk.say(`AUTH PLAIN ${base64(`\0${username}\0${password}`)}`, 235, secretly);
}

async function send(talk: Conversation, settings: Settings, alert: Alert, warn: SinkTools['warn']): Promise<void> {
  const { from, to } = settings;
  await talk.say(`MAIL FROM:<${from}>`, 250);
  await nameRecipients(talk, to, warn);
  await talk.say('DATA', 354);
  // From here on it is the mail itself that is refused, if anything is.
  await talk.say(`${mailOf(settings, alert)}\r\n.`, 250, { isAboutAlert: true });
  // It has the mail: whether it also says goodbye is all the same.
  talk.leave('QUIT');
}

/** One address that is refused must not keep the mail from the others. */
async function nameRecipients(talk: Conversation, to: readonly string[], warn: SinkTools['warn']): Promise<void> {
  const refused: SinkError[] = [];
  for (const one of to) {
    try {
      await talk.say(`RCPT TO:<${one}>`, 25);
    } catch (error) {
      if (!(error instanceof SinkError) || talk.isOver) throw error;
      refused.push(error);
    }
  }
  const [first] = refused;
  if (first && refused.length === to.length) throw first;
  for (const { message, detail } of refused) warn(`a recipient was left out: ${message} (${detail})`);
}
