import { describe, expect, it } from 'vitest';
import { groupOf, type Named, problemOf } from './names.ts';

describe('names', () => {
  it.each<[Named, string]>([
    ['domain', 'example.com'],
    ['domain', 'my-team.internal.example'],
    ['group', 'apps'],
    ['group', 'apps.example.com'],
    ['version', 'v1'],
    ['version', 'v2beta10'],
    ['kind', 'MyApp'],
    ['name', 'web-operator'],
  ])('takes the %s %s', (what, value) => {
    expect(problemOf(what, value)).toBeUndefined();
  });

  it.each<[Named, string]>([
    ['domain', 'com'],
    ['domain', 'exa_mple.com'],
    ['domain', 'Example.com'],
    ['domain', ''],
    ['group', 'Apps'],
    ['group', ''],
    ['version', '1'],
    ['version', 'v0'],
    ['version', 'v1gamma1'],
    ['version', 'latest'],
    ['kind', 'myApp'],
    ['kind', 'My-App'],
    ['kind', 'My App'],
    ['name', '1st'],
    ['name', 'a'.repeat(54)],
  ])('refuses the %s "%s", and says what would be right', (what, value) => {
    expect(problemOf(what, value)).toMatch(/^use /);
  });

  it('puts the domain behind a group, unless it is whole', () => {
    expect(groupOf('apps', 'example.com')).toBe('apps.example.com');
    expect(groupOf('example', 'example.com')).toBe('example.com');
    expect(groupOf('apps.other.org', 'example.com')).toBe('apps.other.org');
  });
});
