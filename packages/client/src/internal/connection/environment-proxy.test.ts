import { expect, it } from 'vitest';
import { environmentProxy } from './environment-proxy.ts';

const proxy = 'http://proxy.corp:3128';
const through = (server: string, environment: Record<string, string>) => environmentProxy(new URL(server), environment);

it('is that of the address’s own scheme', () => {
  const both = { HTTPS_PROXY: proxy, HTTP_PROXY: 'http://plain:1' };
  expect(through('https://kube.corp:6443', both)).toBe(proxy);
  expect(through('http://kube.corp:8080', both)).toBe('http://plain:1');
  expect(through('http://kube.corp:8080', { HTTPS_PROXY: proxy })).toBeUndefined();
});

it('is read in either case, the upper one first, and is http where it names no scheme', () => {
  expect(through('https://kube.corp', { https_proxy: 'proxy:1' })).toBe('http://proxy:1');
  expect(through('https://kube.corp', { https_proxy: 'lower:1', HTTPS_PROXY: 'upper:1' })).toBe('http://upper:1');
  expect(through('https://kube.corp', { HTTPS_PROXY: '' })).toBeUndefined();
});

it.each(['https://localhost:6443', 'https://127.0.0.1:6443', 'https://127.8.9.1', 'https://[::1]:6443'])(
  'is none for this machine: %s',
  (server) => expect(through(server, { HTTPS_PROXY: proxy })).toBeUndefined(),
);

// As golang.org/x/net/http/httpproxy has them.
it.each([
  ['*', 'https://kube.corp', true],
  ['kube.corp', 'https://kube.corp', true],
  ['kube.corp', 'https://east.kube.corp', true],
  ['kube.corp', 'https://othekube.corp', false],
  ['.kube.corp', 'https://kube.corp', false],
  ['.kube.corp', 'https://east.kube.corp', true],
  ['*.kube.corp', 'https://east.kube.corp', true],
  ['a.corp, KUBE.corp', 'https://kube.corp', true],
  ['kube.corp:6443', 'https://kube.corp:6443', true],
  ['kube.corp:6443', 'https://kube.corp', false],
  ['kube.corp:443', 'https://kube.corp', true],
  ['10.0.0.1', 'https://10.0.0.1:6443', true],
  ['10.0.0.1', 'https://10.0.0.11:6443', false],
  ['10.0.0.1:6443', 'https://10.0.0.1:6443', true],
  ['10.128.0.0/9', 'https://10.130.0.2:6443', true],
  ['10.128.0.0/9', 'https://10.2.0.2:6443', false],
  ['10.128.0.0/99', 'https://10.130.0.2:6443', false],
  ['fd00::/8', 'https://[fd12::1]:6443', true],
  ['fd00::/8', 'https://10.0.0.1:6443', false],
  ['fd12::1', 'https://[fd12::1]:6443', true],
  ['[fd12::1]:6443', 'https://[fd12::1]:6443', true],
  ['[fd12::1]:6443', 'https://[fd12::1]', false],
  ['', 'https://kube.corp', false],
])('with NO_PROXY=%s, whether %s is reached directly: %s', (exceptions, server, direct) => {
  expect(through(server, { HTTPS_PROXY: proxy, NO_PROXY: exceptions })).toBe(direct ? undefined : proxy);
});
