import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePrometheusText } from './prometheus-text.ts';

describe('reads', () => {
  it.each([
    ['a bare value', 'up 1', { name: 'up', labels: {}, value: 1, timestamp: undefined }],
    ['a timestamp', 'up 1.5e+07 1700000000123', { name: 'up', labels: {}, value: 1.5e7, timestamp: 1700000000123 }],
    ['labels', 'a{b="c",d="e"} 2', { name: 'a', labels: { b: 'c', d: 'e' }, value: 2, timestamp: undefined }],
    ['a trailing comma', 'a{b="c",} 2', { name: 'a', labels: { b: 'c' }, value: 2, timestamp: undefined }],
    ['no labels', 'a{} 2', { name: 'a', labels: {}, value: 2, timestamp: undefined }],
    [
      'spaces',
      ' a { b = "c" , d = "e" } 2 ',
      { name: 'a', labels: { b: 'c', d: 'e' }, value: 2, timestamp: undefined },
    ],
    ['escapes', 'a{b="q\\"\\\\\\n}"} 2', { name: 'a', labels: { b: 'q"\\\n}' }, value: 2, timestamp: undefined }],
    ['infinity', 'a +Inf', { name: 'a', labels: {}, value: Number.POSITIVE_INFINITY, timestamp: undefined }],
    ['nothing', 'a NaN', { name: 'a', labels: {}, value: Number.NaN, timestamp: undefined }],
  ])('%s', (_, text, sample) => expect(parsePrometheusText(text)).toEqual([sample]));

  it('past comments and empty lines', () => {
    expect(parsePrometheusText('# HELP a b\n# TYPE a counter\n\na 1\r\n')).toMatchObject([{ name: 'a', value: 1 }]);
  });

  it('whatever labels are written', () => {
    const name = fc.stringMatching(/^[a-z_][a-z0-9_]{0,8}$/);
    const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
    const value = fc.string({ unit: 'binary' }).filter((text) => !/[\r\u2028\u2029]/.test(text));
    fc.assert(
      fc.property(
        fc.dictionary(name, value, { noNullPrototype: true }),
        fc.double({ noNaN: true }),
        (labels, amount) => {
          const inner = Object.entries(labels).map(([key, text]) => `${key}="${escaped(text)}"`);
          const number = Number.isFinite(amount) ? String(amount) : amount > 0 ? '+Inf' : '-Inf';
          expect(parsePrometheusText(`m{${inner.join(',')}} ${number} 17`)).toEqual([
            { name: 'm', labels, value: amount === 0 ? Number(number) : amount, timestamp: 17 },
          ]);
        },
      ),
    );
  });
});

it.each(['a', 'a{b="c} 1', 'a{b=c} 1', 'a one', '1a 1', '<html>', 'a 1 2 3'])('refuses "%s" and says where', (text) => {
  expect(() => parsePrometheusText(`up 1\n${text}`)).toThrow(/line 2 is not in the Prometheus text format/);
});
