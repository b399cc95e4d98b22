import { describe, expect, it } from 'vitest';
import { type AccessStep, decideAccess, permissionOf, type SeenAccess, type WantedAccess } from './decide-access.ts';

const app = permissionOf({ access: 'ReadWrite', prefix: '/app/' });
const wanted: WantedAccess = {
  roles: [{ name: 'app', permissions: [app] }],
  users: [{ name: 'ann', roles: ['app'], password: 'v1' }],
};
const empty: SeenAccess = { enabled: false, roles: new Map(), users: new Map() };
const nobody = { roles: [], users: [] };
const ours = { roles: ['app'], users: [{ name: 'ann', password: 'v1' }] };
const inWords = (steps: readonly AccessStep[]) =>
  steps.map((step) =>
    [step.do, 'user' in step ? step.user : '', 'role' in step ? step.role : ''].filter((word) => word).join(' '),
  );
const asDeclared: SeenAccess = {
  enabled: true,
  roles: new Map([['app', [app]]]),
  users: new Map([
    ['root', ['root']],
    ['ann', ['app']],
  ]),
};

describe('users and roles', () => {
  it('are there before etcd asks who somebody is', () => {
    expect(inWords(decideAccess(wanted, empty, nobody))).toEqual([
      'add-user root',
      'give-role root root',
      'add-role app',
      'grant app',
      'add-user ann',
      'give-role ann app',
      'enable',
    ]);
  });

  it('are left as they are where they are as declared', () => {
    expect(decideAccess(wanted, asDeclared, ours)).toEqual([]);
  });

  it('are mended where somebody has changed them, and asked for again where that was turned off', () => {
    const other = permissionOf({ access: 'Read', prefix: '' });
    const changed: SeenAccess = {
      enabled: false,
      roles: new Map([['app', [{ ...app, access: 'Read' }, other]]]),
      users: new Map([
        ['root', ['root']],
        ['ann', ['root']],
      ]),
    };
    const steps = decideAccess(wanted, changed, ours);
    expect(inWords(steps)).toEqual(['revoke app', 'grant app', 'take-role ann root', 'give-role ann app', 'enable']);
    expect(steps).toContainEqual({ do: 'revoke', role: 'app', permission: other });
  });

  it('have another password when their Secret has', () => {
    const later = { ...wanted, users: [{ name: 'ann', roles: ['app'], password: 'v2' }] };
    expect(inWords(decideAccess(later, asDeclared, ours))).toEqual(['change-password ann']);
  });

  it('have theirs again after a restore, which brings those of back then', () => {
    expect(inWords(decideAccess(wanted, asDeclared, nobody))).toEqual(['change-password ann']);
  });

  it('are made anew to lose their password, for etcd can not take one away', () => {
    const without = { ...wanted, users: [{ name: 'ann', roles: ['app'], password: undefined }] };
    expect(inWords(decideAccess(without, asDeclared, ours))).toEqual([
      'delete-user ann',
      'add-user ann',
      'give-role ann app',
    ]);
  });

  it('go when they are declared no more, but for those that a person has made', () => {
    const seen = {
      ...asDeclared,
      roles: new Map([...asDeclared.roles, ['theirs', []]]),
      users: new Map([...asDeclared.users, ['theirs', []]]),
    };
    expect(inWords(decideAccess({ roles: [], users: [] }, seen, ours))).toEqual(['delete-user ann', 'delete-role app']);
  });

  it('are not asked for any more where none are declared, and stay', () => {
    expect(decideAccess(undefined, asDeclared, ours)).toEqual([{ do: 'disable' }]);
    expect(decideAccess(undefined, { ...asDeclared, enabled: false }, ours)).toEqual([]);
  });
});

describe('a permission', () => {
  const hex = (text: string) => Buffer.from(text).toString('hex');
  it.each([
    ['a key', { key: '/a' }, hex('/a'), ''],
    ['a prefix', { prefix: '/a/' }, hex('/a/'), hex('/a0')],
    ['everything', { prefix: '' }, '00', '00'],
    ['a prefix that ends with the last letter', { prefix: 'a\u{10ffff}' }, hex('a\u{10ffff}'), '61f48fbfc0'],
  ])('is of %s', (_, declared, key, rangeEnd) => {
    expect(permissionOf({ access: 'Read', ...declared })).toEqual({ access: 'Read', key, rangeEnd });
  });
});
