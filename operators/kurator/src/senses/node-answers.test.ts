import { describe, expect, it } from 'vitest';
import { minute, second } from '../brain/time.ts';
import { NodeAnswers } from './node-answers.ts';

const now = 1_800_000_000 * second;

describe('NodeAnswers', () => {
  it('knows the newest answer of each node, also where an older one comes later', () => {
    const answers = new NodeAnswers();
    answers.note('n1', now);
    answers.note('n1', now - second);
    answers.note('n2', now - second);
    expect(['n1', 'n2', 'n3'].map((node) => answers.of(node))).toEqual([now, now - second, undefined]);
  });

  it('forgets nodes of which nothing was heard for long', () => {
    const answers = new NodeAnswers();
    answers.note('old', now);
    answers.note('n1', now + 10 * minute);
    expect(answers.of('old')).toBeUndefined();
  });
});
