/** An alert as a mail. Whatever people or programs wrote is encoded, so that no line of it can be a command or a header. */
import { type Alert, textOf } from '../../alert.ts';
import { SinkError } from '../sink.ts';

/** Whom a mail is from and to. */
export interface Envelope {
  readonly from: string;
  readonly to: readonly string[];
}

/** One encoded word may have 75 characters, of which the frame takes 12: bytes before they become a third more. */
const WORD_BYTES = 45;

/** The whole mail, its lines ended as SMTP wants them, the last one without an end. No line begins with a dot. */
export function mailOf({ from, to }: Envelope, alert: Alert): string {
  const text = Buffer.from(textOf(alert)).toString('base64');
  return [
    `From: ${from}`,
    `To: ${to.join(',\r\n ')}`,
    `Subject: ${encodedWords(`[${alert.severity}] ${alert.title}`)}`,
    `Date: ${new Date(alert.at).toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: ${messageId(alert.id)}`,
    // All mails of one incident in one conversation.
    `References: ${messageId(alert.thread)}`,
    'Auto-Submitted: auto-generated',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    ...(text.match(/.{1,76}/g) ?? []),
  ].join('\r\n');
}

/** Refuses whatever would be more than one address, or more than an address. */
export function refuseBadAddresses({ from, to }: Envelope): void {
  const bad = [from, ...to].find((address) => !/^[!-~]+@[!-~]+$/.test(address) || /[<>,;]/.test(address));
  if (bad === undefined) return;
  throw new SinkError(`${JSON.stringify(bad)} is no plain address such as ops@example.com`);
}

function messageId(id: string): string {
  return `<${Buffer.from(id).toString('base64url')}@kurator.sh>`;
}

/** A header's text as RFC 2047 has it, in words that each hold whole characters. */
function encodedWords(text: string): string {
  const words = [''];
  for (const character of text.toWellFormed()) {
    const longer = `${words.at(-1)}${character}`;
    if (Buffer.byteLength(longer) <= WORD_BYTES) words[words.length - 1] = longer;
    else words.push(character);
  }
  return words.map((word) => `=?utf-8?B?${Buffer.from(word).toString('base64')}?=`).join('\r\n ');
}
