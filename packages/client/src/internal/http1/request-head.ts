import type { WireRequest } from '../engine.ts';

/** Everything of a request but its body, as it goes over the wire. */
export function requestHead(host: string, request: WireRequest): string {
  const { method, path, headers, body } = request;
  if (!/^[\x21-\x7e]+$/.test(path)) throw new TypeError(`${JSON.stringify(path)} can't be the path of a request`);
  const length = body === undefined ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${fields(headers)}${length}\r\n`;
}

// The same few headers go out with every request: those that were found to be fit, and how many there are.
const fit = new Map<string, number>();
const MOST_FIT = 64;

function fields(headers: WireRequest['headers']): string {
  let text = '';
  let count = 0;
  for (const name in headers) {
    const value = headers[name];
    for (const one of Array.isArray(value) ? value : [value]) {
      text += `${name}: ${one}\r\n`;
      count += 1;
    }
  }
  // Fewer headers that make the same lines have a line break in one of them.
  if (fit.get(text) === count) return text;
  refuseSmuggling(headers);
  if (fit.size >= MOST_FIT) fit.clear();
  fit.set(text, count);
  return text;
}

/** A line break in a value would be read as another header, or another request. */
function refuseSmuggling(headers: WireRequest['headers']): void {
  for (const [name, value] of Object.entries(headers)) {
    const values = Array.isArray(value) ? value : [value];
    if (/^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(name) && values.every((one) => /^[\t\x20-\x7e]*$/.test(one))) continue;
    throw new TypeError(`the value of the header ${JSON.stringify(name)} holds characters that no header may hold`);
  }
}
