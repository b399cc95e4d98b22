import { expect, it } from 'vitest';
import { lackingCapabilities } from './facts.ts';

it.each([
  ['CapEff:\t000001ffffffffff', []],
  ['CapEff:\t000001fffeffffff', []],
  ['CapEff:\t00000000a80425fb', ['CAP_NET_ADMIN', 'CAP_SYS_ADMIN']],
  ['CapEff:\t0000000000001000', ['CAP_SYS_ADMIN']],
  ['', ['CAP_NET_ADMIN', 'CAP_SYS_ADMIN']],
])('reads what is lacking out of %j', (status, names) => {
  expect(lackingCapabilities(`Name:\tnode\n${status}\nCapBnd:\t0\n`)).toEqual(names);
});
