import { describe, expect, it } from 'vitest';
import { changeAt } from './churn.ts';

describe('changeAt', () => {
  it('changes the message every tenth time, and replaces every hundredth', () => {
    const kinds = Array.from({ length: 1000 }, (_, i) => changeAt(i));
    const count = (kind: string) => kinds.filter((each) => each === kind).length;
    expect({ message: count('message'), replace: count('replace'), annotate: count('annotate') }).toEqual({
      message: 100,
      replace: 10,
      annotate: 890,
    });
  });
});
