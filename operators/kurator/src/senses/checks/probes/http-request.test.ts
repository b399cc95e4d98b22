import { describe, expect, it } from 'vitest';
import type { HttpProbe } from '../check.ts';
import { InvalidCheck } from '../check.ts';
import { endpointOf } from './endpoint.ts';
import { requestPlanOf, requestText } from './http-request.ts';

function textOf(settings: Partial<HttpProbe>, host = '10.0.0.7', port = 8080): string {
  const plan = requestPlanOf({ kind: 'http', host, port, ...settings }, endpointOf({ host, port }));
  return requestText(plan, plan.path);
}

describe('the request of a check', () => {
  it('asks for the root, and closes', () => {
    expect(textOf({})).toBe(
      'GET / HTTP/1.1\r\nHost: 10.0.0.7:8080\r\nUser-Agent: kurator-check\r\nAccept: */*\r\nConnection: close\r\n\r\n',
    );
  });

  it('names the host as a client would', () => {
    expect(textOf({}, '10.0.0.7', 80)).toContain('Host: 10.0.0.7\r\n');
    expect(textOf({ tls: {} }, '10.0.0.7', 443)).toContain('Host: 10.0.0.7\r\n');
    expect(textOf({}, 'fd00::7', 8080)).toContain('Host: [fd00::7]:8080\r\n');
    expect(textOf({ hostHeader: 'shop.example:81' })).toContain('Host: shop.example:81\r\n');
  });

  it('sends the headers that it is given, in place of its own', () => {
    const text = textOf({ headers: { 'X-Token': 'abc', 'user-agent': 'mine' } });
    expect(text).toContain('X-Token: abc\r\n');
    expect(text).toContain('user-agent: mine\r\n');
    expect(text).not.toContain('kurator-check');
  });

  it.each([
    [{ method: 'GET /' }, 'method'],
    [{ method: 'CONNECT' }, 'method'],
    [{ path: 'health' }, 'path'],
    [{ path: '/a b' }, 'path'],
    [{ path: '/a\r\nX: y' }, 'path'],
    [{ hostHeader: 'a\r\nX: y' }, 'hostHeader'],
    [{ hostHeader: 'a/b' }, 'hostHeader'],
    [{ headers: { 'a b': 'c' } }, 'headers'],
    [{ headers: { a: 'b\r\nc: d' } }, 'headers'],
    [{ headers: { Connection: 'keep-alive' } }, 'headers'],
    [{ headers: { 'Content-Length': '5' } }, 'headers'],
  ])('can not be made to say something else: %j', (settings, field) => {
    expect(() => textOf(settings)).toThrow(InvalidCheck);
    expect(() => textOf(settings)).toThrow(field);
  });
});
