import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recordingReporter } from '../../test/binaries/recording-reporter.ts';
import { compileProgress, modulesProgress, parseStale } from './build-progress.ts';

describe('compileProgress', () => {
  it('only ever rises, and ends where linking begins', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(50), { minLength: 1, maxLength: 40 }), (files) => {
        const reporter = recordingReporter();
        const stale = parseStale(files.map((count, index) => `example.org/p${index} ${count}`).join('\n'));
        const progress = compileProgress('build', stale, reporter);
        for (const { path } of stale) {
          progress.line(path);
          progress.line(path);
          progress.line('# a warning of the compiler');
        }
        expect(reporter.fractions).toEqual([...reporter.fractions].sort((a, b) => a - b));
        expect(reporter.fractions).toHaveLength(stale.length + 1);
        expect(reporter.fractions.at(-1)).toBeCloseTo(0.95);
      }),
    );
  });

  it('estimates the time that is left once it has something to go by', () => {
    let clock = 0;
    const details: (string | undefined)[] = [];
    const reporter = {
      ...recordingReporter(),
      progress: (_: string, __?: number, detail?: string) => details.push(detail),
    };
    const stale = Array.from({ length: 100 }, (_, index) => ({ path: `p${index}`, weight: 3 }));
    const progress = compileProgress('build', stale, reporter, () => clock);
    for (const { path } of stale.slice(0, 50)) {
      clock += 4_000;
      progress.line(path);
    }
    expect(details.at(1)).toBe('package 1 of 100');
    expect(details.at(-1)).toBe('package 50 of 100, about 4 min left');
  });

  it('goes straight to linking where everything is compiled already', () => {
    const reporter = recordingReporter();
    compileProgress('build', [], reporter);
    expect(reporter.fractions).toEqual([0.95]);
  });
});

it('never takes fetching modules for more than its share', () => {
  const reporter = recordingReporter();
  const line = modulesProgress('build', reporter);
  for (let count = 0; count < 2000; count += 1) line(`go: downloading example.org/m${count} v1.0.0`);
  expect(Math.max(...reporter.fractions)).toBeLessThanOrEqual(0.1);
});
