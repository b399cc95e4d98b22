/**
 * What is to change in etcd's users and roles: pure. What is declared here is ours, and made as it is declared; of what is not, only what
 * was written down as made by us is deleted. Users are let in before etcd begins to ask who they are.
 */

/** As etcd keeps it: from a key to the end of a range, or that key alone. */
export interface Permission {
  readonly access: 'Read' | 'Write' | 'ReadWrite';
  readonly key: string;
  readonly rangeEnd: string;
}
export interface WantedUser {
  readonly name: string;
  readonly roles: readonly string[];
  /** Which version of his Secret his password is in; undefined where he has none. */
  readonly password: string | undefined;
}
export interface WantedAccess {
  readonly roles: readonly { readonly name: string; readonly permissions: readonly Permission[] }[];
  readonly users: readonly WantedUser[];
}
/** What etcd says. */
export interface SeenAccess {
  readonly enabled: boolean;
  readonly roles: ReadonlyMap<string, readonly Permission[]>;
  readonly users: ReadonlyMap<string, readonly string[]>;
}
/** What was written down as made by us. */
export interface RecordedAccess {
  readonly roles: readonly string[];
  /** With the version of the Secret that his password was last read from. */
  readonly users: readonly { readonly name: string; readonly password?: string | undefined }[];
}

export type AccessStep =
  | { readonly do: 'add-role' | 'delete-role'; readonly role: string }
  | { readonly do: 'grant' | 'revoke'; readonly role: string; readonly permission: Permission }
  | { readonly do: 'add-user' | 'change-password' | 'delete-user'; readonly user: string }
  | { readonly do: 'give-role' | 'take-role'; readonly user: string; readonly role: string }
  | { readonly do: 'enable' | 'disable' };

const ROOT = 'root';

/** @param wanted undefined where nothing is declared any more. */
export function decideAccess(
  wanted: WantedAccess | undefined,
  seen: SeenAccess,
  recorded: RecordedAccess,
): readonly AccessStep[] {
  if (!wanted) return seen.enabled ? [{ do: 'disable' }] : [];
  return [
    ...rootSteps(seen),
    ...wanted.roles.flatMap((role) => roleSteps(role, seen.roles.get(role.name))),
    ...wanted.users.flatMap((user) => userSteps(user, seen.users.get(user.name), recorded)),
    ...recorded.users
      .filter(({ name }) => seen.users.has(name) && !wanted.users.some((user) => user.name === name))
      .map(({ name }) => ({ do: 'delete-user', user: name }) as const),
    ...recorded.roles
      .filter((name) => seen.roles.has(name) && !wanted.roles.some((role) => role.name === name))
      .map((role) => ({ do: 'delete-role', role }) as const),
    ...(seen.enabled ? [] : [{ do: 'enable' } as const]),
  ];
}

/** Nobody can turn it on, or off again, without him. */
function rootSteps({ users }: SeenAccess): AccessStep[] {
  const roles = users.get(ROOT);
  return [
    ...(roles ? [] : [{ do: 'add-user', user: ROOT } as const]),
    ...(roles?.includes(ROOT) ? [] : [{ do: 'give-role', user: ROOT, role: ROOT } as const]),
  ];
}

function roleSteps(
  { name, permissions }: WantedAccess['roles'][number],
  present: readonly Permission[] | undefined,
): AccessStep[] {
  const isSame = (one: Permission) => (other: Permission) => one.key === other.key && one.rangeEnd === other.rangeEnd;
  const extra = (present ?? []).filter((one) => !permissions.some(isSame(one)));
  const lacking = permissions.filter(
    (one) => !present?.some((other) => isSame(one)(other) && one.access === other.access),
  );
  return [
    ...(present ? [] : [{ do: 'add-role', role: name } as const]),
    ...extra.map((permission) => ({ do: 'revoke', role: name, permission }) as const),
    ...lacking.map((permission) => ({ do: 'grant', role: name, permission }) as const),
  ];
}

function userSteps(
  { name, roles, password }: WantedUser,
  present: readonly string[] | undefined,
  recorded: RecordedAccess,
): AccessStep[] {
  const known = recorded.users.find((user) => user.name === name);
  // A password can't be taken from a user, nor one be given to a user without.
  const isOtherKind = known !== undefined && (known.password === undefined) !== (password === undefined);
  const isNew = !present || isOtherKind;
  const held = isNew ? [] : present;
  return [
    ...(present && isOtherKind ? [{ do: 'delete-user', user: name } as const] : []),
    ...(isNew ? [{ do: 'add-user', user: name } as const] : []),
    ...(!isNew && password !== undefined && known?.password !== password
      ? [{ do: 'change-password', user: name } as const]
      : []),
    ...held.filter((role) => !roles.includes(role)).map((role) => ({ do: 'take-role', user: name, role }) as const),
    ...roles.filter((role) => !held.includes(role)).map((role) => ({ do: 'give-role', user: name, role }) as const),
  ];
}

/** As etcd keeps what people declare: up to the first key that does not begin so. */
export function permissionOf(declared: {
  readonly access: Permission['access'];
  readonly key?: string | undefined;
  readonly prefix?: string | undefined;
}): Permission {
  const { access, key, prefix = '' } = declared;
  if (key !== undefined) return { access, key: hexadecimal(Buffer.from(key)), rangeEnd: '' };
  if (prefix === '') return { access, key: '00', rangeEnd: '00' };
  const bytes = Buffer.from(prefix);
  return { access, key: hexadecimal(bytes), rangeEnd: hexadecimal(afterAllWith(bytes)) };
}

// Keys are bytes, and bytes are compared as texts here.
const hexadecimal = (bytes: Buffer) => bytes.toString('hex');

function afterAllWith(prefix: Buffer): Buffer {
  const end = Buffer.from(prefix);
  for (let at = end.length - 1; at >= 0; at -= 1) {
    const byte = end[at] ?? 0;
    if (byte === 0xff) continue;
    end[at] = byte + 1;
    return end.subarray(0, at + 1);
  }
  return Buffer.from([0]);
}
