import { describe, expect, it } from 'vitest';
import { describeEndpoint, parseEndpoint } from './endpoint.ts';

describe('an endpoint', () => {
  it.each([
    ['pod/web', { pod: 'web' }, 'pod default/web'],
    ['pod/shop/web', { pod: 'web', namespace: 'shop' }, 'pod shop/web'],
    ['node/n1', { node: 'n1' }, 'node n1'],
    ['kubelet/n1', { node: 'n1', pods: false }, 'node n1 without its pods'],
    ['10.1.2.3', { address: '10.1.2.3' }, '10.1.2.3'],
    ['10.1.0.0/16', { address: '10.1.0.0/16' }, '10.1.0.0/16'],
  ])('%s', (text, endpoint, description) => {
    expect(parseEndpoint(text)).toEqual(endpoint);
    expect(describeEndpoint(endpoint)).toBe(description);
  });

  it.each(['', 'web', 'pod/', 'pod/a/', 'pod/a/b/c', 'node/n1/x', '10.1.2', '10.1.2.3/33', '10.1.2.3/8/8', '::1'])(
    '%j is refused with what to write',
    (text) => {
      expect(() => parseEndpoint(text)).toThrow(
        expect.objectContaining({ code: 'KUR_TESTENV_FAULT_REQUEST', remedy: expect.stringContaining('pod/NAME') }),
      );
    },
  );
});
