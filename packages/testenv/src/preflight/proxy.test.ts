import { describe, expect, it } from 'vitest';
import { blocks, overlaps } from '../machines/addresses.ts';
import { catchingProxy, withoutProxyForClusters } from './proxy.ts';

const HTTPS_PROXY = 'http://proxy.example:3128';

describe('catchingProxy', () => {
  it.each(['10.128.0.0/9', '10.0.0.0/8', '0.0.0.0/0', '*', 'localhost, 10.0.0.0/8 ,example.com', '10.200.0.0/9'])(
    'sees that NO_PROXY=%s covers every cluster',
    (NO_PROXY) => {
      expect(catchingProxy({ HTTPS_PROXY, NO_PROXY })).toBeUndefined();
    },
  );

  it.each(['', 'localhost,127.0.0.1', '10.0.0.0/9', '10.128.0.0/16', '192.168.0.0/8', '.cluster.local'])(
    'sees that NO_PROXY=%s does not',
    (no_proxy) => {
      expect(catchingProxy({ HTTPS_PROXY, no_proxy })).toBe('HTTPS_PROXY');
    },
  );

  it('has nothing to say without a proxy', () => {
    expect(catchingProxy({ HTTPS_PROXY: '' })).toBeUndefined();
  });
});

describe('withoutProxyForClusters', () => {
  it('keeps the exceptions that were there', () => {
    const env = withoutProxyForClusters({ HTTPS_PROXY, no_proxy: 'example.com' });
    expect(env.NO_PROXY).toMatch(/^example\.com,10\.128\.0\.0\/9,.*127\.0\.0\.1,localhost$/);
    expect(catchingProxy(env)).toBeUndefined();
  });

  it('makes one for every block that a cluster can have', () => {
    const exceptions = withoutProxyForClusters({ HTTPS_PROXY, NO_PROXY: '10.0.0.0/8' }).NO_PROXY?.split(',') ?? [];
    const ranges = exceptions.filter((exception) => exception.includes('/'));
    for (const block of blocks) expect(ranges.some((range) => overlaps(range, `${block}.0.0/16`))).toBe(true);
  });

  it('changes nothing without a proxy', () => {
    const env = { PATH: '/bin' };
    expect(withoutProxyForClusters(env)).toBe(env);
  });
});
