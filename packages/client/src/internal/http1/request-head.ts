import type { WireRequest } from '../engine.ts';

/** Everything of a request but its body, as it goes over the wire. */
export function requestHead(host: string, request: WireRequest): string {
  const { method, path, headers, body } = request;
  if (!/^[\x21-\x7e]+$/.test(path)) throw new TypeError(`${JSON.stringify(path)} can't be the path of a request`);
  const length = body === undefined ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${fields(headers)}${length}\r\n`;
}

// The same few headers go out with every request: those that were found to be fit.
const fit = new Set<string>();
const MOST_FIT = 256;

function fields(headers: WireRequest['headers']): string {
  let text = '';
  for (const name in headers) {
    const value = headers[name] as string | readonly string[];
    if (typeof value === 'string') text += field(name, value);
    else for (const one of value) text += field(name, one);
  }
  return text;
}

function field(name: string, value: string): string {
  const line = `${name}: ${value}\r\n`;
  if (fit.has(line)) return line;
  // A line break in it would be read as another header, or another request.
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(name) || !/^[\t\x20-\x7e]*$/.test(value)) {
    throw new TypeError(`the value of the header ${JSON.stringify(name)} holds characters that no header may hold`);
  }
  if (fit.size >= MOST_FIT) fit.clear();
  fit.add(line);
  return line;
}
