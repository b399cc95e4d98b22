import { describe, expect, it } from 'vitest';
import { clusterDefaults } from '../brain/spec-defaults.ts';
import { limitsFrom } from './options.ts';

describe('limits', () => {
  it('are what they were unless they are given', () => {
    expect(limitsFrom('{}')).toEqual(clusterDefaults);
  });

  it('are given one by one', () => {
    const { budget, concurrent, storm } = limitsFrom('{"repairs":10,"per":"30m","concurrent":2,"storm":{"calm":"1m"}}');
    expect({ budget, concurrent }).toEqual({ budget: { repairs: 10, per: 1_800_000 }, concurrent: 2 });
    expect(storm).toEqual({ ...clusterDefaults.storm, calm: 60_000 });
  });

  it.each([
    ['{"concurrent":0}', 'concurrent'],
    ['{"per":"soon"}', 'such as 10m'],
    ['{"storm":{"share":30}}', 'storm.share'],
    ['{"repair":1}', '"repair"'],
    ['five', 'no JSON'],
  ])('%s is refused, and what is wrong is named', (text, named) => {
    expect(() => limitsFrom(text)).toThrow(named);
  });
});
