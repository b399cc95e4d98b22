import { describe, expect, it } from 'vitest';
import type { Outcome, Test } from './outcome.ts';
import { focusOn, partsOf } from './parts.ts';

const test = (name: string, isSerial = false): Test => ({ name, isSerial });
const names = (parts: readonly { readonly tests: readonly Test[] }[]) =>
  parts.map(({ tests }) => tests.map(({ name }) => name).join(''));
const everything = { focus: /./, size: 2, retry: false };

describe('the parts of a run', () => {
  it('hold no more tests than asked for, and those that want to be alone come last', () => {
    const parts = partsOf([test('a', true), test('b'), test('c'), test('d')], new Map(), everything);
    expect(names(parts)).toEqual(['bd', 'c', 'a']);
    expect(parts.map(({ isSerial }) => isSerial)).toEqual([false, false, true]);
  });

  it('leave out what was run, and what is not in focus', () => {
    const done = new Map<string, Outcome>([
      ['a', { name: 'a', state: 'passed', seconds: 1 }],
      ['b', { name: 'b', state: 'failed', seconds: 1 }],
    ]);
    const tests = [test('a'), test('b'), test('c'), test('d')];
    expect(names(partsOf(tests, done, { ...everything, focus: /[^d]/ }))).toEqual(['c']);
    expect(names(partsOf(tests, done, { ...everything, focus: /[^d]/, retry: true }))).toEqual(['bc']);
    expect(partsOf(tests.slice(0, 1), done, everything)).toEqual([]);
  });
});

describe('the focus on tests', () => {
  it('finds them by their whole names, whatever is in those', () => {
    const focus = new RegExp(focusOn([test('[sig-node] Pods should (not) cost $1'), test('DNS')]));
    expect(focus.test('Kubernetes e2e suite [sig-node] Pods should (not) cost $1')).toBe(true);
    expect(focus.test('Kubernetes e2e suite DNS')).toBe(true);
    expect(focus.test('Kubernetes e2e suite DNS for services')).toBe(false);
  });
});
