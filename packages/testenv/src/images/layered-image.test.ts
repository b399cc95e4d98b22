import { expect, it } from 'vitest';
import { chainIds } from './layered-image.ts';

it('names what a layer and all below it unpack to, as the image specification does', () => {
  const [base, middle, top] = ['a', 'b', 'c'].map((digit) => `sha256:${digit.repeat(64)}`) as [string, string, string];
  // printf 'sha256:aa… sha256:bb…' | sha256sum, and so on.
  expect(chainIds([base, middle, top])).toEqual([
    base,
    'sha256:ccd722928bd92476ba1745586fed6e45a102504185ad88cd89e01ff116fd146c',
    'sha256:c1377126441fb2f5ec2c21ae2a60255331d639e830f0ee1b40a36e52d4c40588',
  ]);
  expect(chainIds([])).toEqual([]);
});
