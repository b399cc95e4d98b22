import type { CheckResult } from '@kurator/testenv';
import { describe, expect, it } from 'vitest';
import { doctorText } from './doctor.ts';

const root: CheckResult = {
  id: 'nodes-possible',
  title: 'Linux, root and its rights',
  neededFor: 'nodes',
  state: 'missing',
  detail: 'nodes need root, and this is an ordinary user',
  remedy: 'run this as root (sudo)',
};
const memory: CheckResult = {
  id: 'memory',
  title: 'memory',
  neededFor: 'control plane',
  state: 'ok',
  detail: '8.0 GB available',
};

describe('doctorText', () => {
  it('says what can be run, and what keeps the rest from it', () => {
    expect(doctorText([memory, root], { verbose: false })).toBe(
      [
        'yes  control plane: nothing is missing',
        'no   nodes: 1 missing',
        '       missing  Linux, root and its rights: nodes need root, and this is an ordinary user',
        '                  fix: run this as root (sudo)',
        'yes  images: nothing is missing',
        'no   faults: needs nodes',
        '',
        'Everything else is as it should be; --verbose shows it.',
      ].join('\n'),
    );
  });

  it('shows what is as it should be when asked to', () => {
    expect(doctorText([memory], { verbose: true })).toContain('ok       memory: 8.0 GB available');
  });
});
