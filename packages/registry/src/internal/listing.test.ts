import { expect, it } from 'vitest';
import { nextPage } from './listing.ts';

const list = new URL('https://r.example.com/v2/demo/web/tags/list?n=2');
const next = 'https://r.example.com/v2/demo/web/tags/list?n=2&last=b';

it.each([
  ['</v2/demo/web/tags/list?n=2&last=b>; rel="next"'],
  ['<https://r.example.com/v2/demo/web/tags/list?n=2&last=b>; rel=next'],
  ['<http://inside:5000/v2/demo/web/tags/list?n=2&last=b>; rel="next"'],
  ['<?n=2&last=b>;rel="next"; title="more"'],
  ['</v2/>; rel="prev", </v2/demo/web/tags/list?n=2&last=b>; rel="next"'],
])('leads to the next page of the same list: %s', (header) => {
  expect(nextPage([header], list)?.href).toBe(next);
});

it.each(['', '</v2/x>; rel="prev"', '/v2/x; rel="next"', '</v2/x>', 'nonsense'])('is none in %j', (header) => {
  expect(nextPage([header], list)).toBeUndefined();
});

it('never leaves the host', () => {
  expect(nextPage(['<//evil.example.com/x>; rel="next"'], list)?.origin).toBe(list.origin);
});
