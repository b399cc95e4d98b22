import { describe, expect, it } from 'vitest';
import { isInRange, proxiesOf, registryUrl } from './settings.ts';

describe('where a registry is', () => {
  it.each([
    ['registry.example.com', undefined, 'https://registry.example.com'],
    ['localhost:5000', undefined, 'http://localhost:5000'],
    ['127.0.0.1:5000', undefined, 'http://127.0.0.1:5000'],
    ['[::1]:5000', undefined, 'http://[::1]:5000'],
    ['localhost.example.com', undefined, 'https://localhost.example.com'],
    ['10.0.0.3:5000', undefined, 'https://10.0.0.3:5000'],
    ['10.0.0.3:5000', 'http://10.0.0.3:5000', 'http://10.0.0.3:5000'],
    ['docker.io', undefined, 'https://registry-1.docker.io'],
  ])('%s with %s', (host, url, expected) => {
    expect(registryUrl(host, url === undefined ? {} : { url }).origin).toBe(expected);
  });

  it.each(['ftp://r', 'r:5000', 'http://r/v2', 'http://me:secret@r', 'http://r?x=1'])('is not %s', (url) => {
    expect(() => registryUrl('r', { url })).toThrow(expect.objectContaining({ code: 'KUR_REGISTRY_SETTING' }));
    expect(() => registryUrl('r', { url })).not.toThrow('secret');
  });
});

it.each([
  ['http://10.130.0.3:5000', 'localhost, 10.128.0.0/9', true],
  ['http://10.1.0.3:5000', 'localhost,10.128.0.0/9', false],
  ['http://[fd00::3]:5000', 'fd00::/8', true],
  ['http://[fd00::3]:5000', '10.0.0.0/8', false],
  ['https://r.example.com', '0.0.0.0/0', false],
  ['http://10.1.0.3', '10.1.0.3,10.0.0.0/99,/8,10.0.0.0/8/8', false],
])('%s is an address in a range of %j: %s', (url, except, expected) => {
  expect(isInRange(new URL(url), except)).toBe(expected);
});

it('reads proxies from an environment, in either case', () => {
  expect(proxiesOf({ HTTPS_PROXY: 'http://p:1', no_proxy: 'a,b', HTTP_PROXY: '' })).toEqual({
    http: undefined,
    https: 'http://p:1',
    except: 'a,b',
  });
});
