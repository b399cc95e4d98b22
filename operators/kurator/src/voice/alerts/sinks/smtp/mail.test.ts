import { describe, expect, it } from 'vitest';
import { anAlert } from '../../../../../test/support/alerting/an-alert.ts';
import { textOf } from '../../alert.ts';
import { mailOf, refuseBadAddresses } from './mail.ts';

const envelope = { from: 'kurator@example.com', to: ['a@example.com', 'b@example.com'] };

describe('a mail', () => {
  it('says all of the alert, and no line of it can be taken for anything else', () => {
    const alert = anAlert({ title: `ü\r\nBcc: x@example.com ${'🔥'.repeat(100)}`, lines: ['.', '..', 'QUIT'] });
    const [head = '', body = ''] = mailOf(envelope, alert).split('\r\n\r\n');
    expect(Buffer.from(body, 'base64').toString()).toBe(textOf(alert));
    expect(head).not.toMatch(/^Bcc/im);
    const subject = /^Subject: (.*(?:\r\n .*)*)/m.exec(head)?.[1] ?? '';
    const words = subject.split('\r\n ');
    expect(words.every((word) => word.length <= 75)).toBe(true);
    const decoded = words.map((word) => Buffer.from(word.slice('=?utf-8?B?'.length, -2), 'base64').toString());
    expect(decoded.join('')).toBe(`[warning] ${alert.title}`);
    expect(head.split('\r\n').every((line) => line.length <= 998 && !line.startsWith('.'))).toBe(true);
  });
});

describe('an address', () => {
  it.each(['a@example.com\r\nRCPT TO:<x@example.com>', 'A <a@example.com>', 'a@x.com,b@x.com', 'ä@example.com', 'a'])(
    'such as %j is refused',
    (address) => {
      expect(() => refuseBadAddresses({ ...envelope, to: ['b@example.com', address] })).toThrow('is no plain address');
      expect(() => refuseBadAddresses({ ...envelope, from: address })).toThrow('is no plain address');
    },
  );

  it('that is plain is taken', () => {
    expect(() => refuseBadAddresses(envelope)).not.toThrow();
  });
});
