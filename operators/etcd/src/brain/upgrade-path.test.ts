import { describe, expect, it } from 'vitest';
import { upgradePath } from './upgrade-path.ts';

describe('the way to a version', () => {
  it.each([
    ['of a cluster that is made', [], '3.7.3'],
    ['within a minor', ['3.6.8', '3.6.8'], '3.6.16'],
    ['to the next minor', ['3.6.16', '3.6.16'], '3.7.3'],
    ['on, where one member is there already', ['3.6.16', '3.7.3'], '3.7.3'],
    ['from 3.5 without dead members', ['3.5.26'], '3.6.0'],
    ['on, where one left a 3.5 with dead members already', ['3.5.9', '3.6.0'], '3.6.0'],
    ['back within a minor', ['3.6.16'], '3.6.8'],
  ])('is open: %s', (_, running, wanted) => {
    expect(upgradePath(running, wanted)).toEqual({ version: wanted });
  });

  it('brings those who are behind to where the others are, before anybody goes further', () => {
    expect(upgradePath(['3.5.26', '3.6.4'], '3.7.3')).toEqual({ version: '3.6.4' });
    expect(upgradePath(['3.6.4', '3.6.4'], '3.7.3')).toEqual({ version: '3.7.3' });
  });

  it.each([
    ['skips a minor', ['3.5.30'], '3.7.3', '3.5.30', 'a version of 3.6 first'],
    ['skips a minor from an old 3.5', ['3.5.9'], '3.7.3', '3.5.9', '3.5.26 or later, then to 3.6 first'],
    ['brings dead members back', ['3.5.9', '3.5.9'], '3.6.16', '3.5.9', '3.5.26 or later first'],
    ['goes back', ['3.7.3', '3.7.3'], '3.6.16', '3.7.3', 'set spec.version to a version of 3.7'],
    ['goes back half way', ['3.6.16', '3.7.3'], '3.6.16', '3.7.3', 'restore a backup into a new cluster'],
  ])('is closed, with a way out, where it %s', (_, running, wanted, version, remedy) => {
    const path = upgradePath(running, wanted);
    expect(path.version).toBe(version);
    expect(path.held).toContain(remedy);
  });
});
