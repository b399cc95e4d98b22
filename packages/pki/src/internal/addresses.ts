/** IP addresses as certificates have them, four or sixteen bytes, and as people write them. */
import { isIPv4, isIPv6 } from 'node:net';

/** The one way to write a name: addresses shortened, DNS names in small letters. */
export function canonicalName(name: string): string {
  return isIPv6(name) ? textOf(bytesOf(name)) : name.toLowerCase();
}

export function bytesOf(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  // A URL's host is written in one way, and an address at the end of IPv6 that looks like IPv4 is not left as it is.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const [before, after] = [groupsOf(head), groupsOf(tail ?? '')];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return Buffer.from([...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 0xff]));
}

export function textOf(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.length !== 16) throw new RangeError('not an address');
  const groups = (bytes.toString('hex').match(/.{4}/g) ?? []).join(':');
  return new URL(`http://[${groups}]`).hostname.slice(1, -1);
}

function groupsOf(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}
