import { describe, expect, it } from 'vitest';
import { conformanceOptions, help } from './options.ts';

describe('the options of conformance', () => {
  it('run everything on two nodes unless something else is said', () => {
    const { focus, parts, minutes, size, procs, nodes, name } = conformanceOptions([]);
    expect({ parts, minutes, size, procs, nodes, name }).toEqual({
      parts: Number.POSITIVE_INFINITY,
      minutes: Number.POSITIVE_INFINITY,
      size: 20,
      procs: 3,
      nodes: 2,
      name: 'conformance',
    });
    expect(focus.test('[sig-node] Pods should be submitted and removed')).toBe(true);
    for (const option of ['focus', 'parts', 'minutes', 'size', 'procs', 'nodes', 'name', 'retry', 'fresh', 'report']) {
      expect(help).toContain(`--${option}`);
    }
  });

  it.each([
    [['--focus', '('], '--focus: Invalid regular expression'],
    [['--parts', '0'], '--parts: "0" is not a number above 0'],
    [['--size', '1.5'], '--size: "1.5" is not a whole number'],
  ])('%j is refused with what is wrong', (args, message) => {
    expect(() => conformanceOptions(args)).toThrow(message);
  });
});
