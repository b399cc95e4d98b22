/** Makes etcd's users and roles what is declared. Passwords are read from Secrets, told to etcd, and nobody else. */
import { type AuthorContext, type ConditionClaim, checksum, Secret } from '@kurator/sdk';
import { type Endpoint, type EtcdClient, EtcdError } from '../database/etcd-client.ts';
import { rpc } from '../database/rpc.ts';
import type { EtcdCluster } from '../resources.ts';
import {
  type AccessStep,
  decideAccess,
  type Permission,
  permissionOf,
  type RecordedAccess,
  type SeenAccess,
  type WantedAccess,
} from './decide-access.ts';

export interface Access {
  /** What is to be written down of it; undefined where nothing is declared, and nothing left. */
  readonly recorded: RecordedAccess | undefined;
  readonly claims: readonly ConditionClaim[];
  readonly isRunning: boolean;
}

/** Each question about users is an entry in the log of all members: they are looked at anew when something else is wanted, and now and then. */
const AGAIN = 600_000;
/** By the uid of their cluster: what was wanted when they were last as declared. */
const looked = new Map<string, { readonly digest: string; readonly at: number; readonly claim: ConditionClaim }>();

const KINDS = ['Read', 'Write', 'ReadWrite'] as const;
const ROOT = 'root';

/** @param etcd as root, or anybody where etcd does not ask yet. */
export async function seeToAccess(
  cluster: EtcdCluster,
  etcd: EtcdClient,
  endpoint: Endpoint,
  context: AuthorContext,
): Promise<Access> {
  const { spec, status } = cluster;
  const recorded = status?.auth;
  if (!spec.auth && !recorded) return { recorded: undefined, claims: [], isRunning: false };
  const passwords = await passwordsOf(cluster, context);
  if ('lacks' in passwords) return { recorded, claims: [passwords.lacks], isRunning: true };
  const wanted = wantedOf(cluster, passwords);
  const planned = planOf(wanted, recorded);
  // Who is ours is written down before he is made: so that he goes again when he is declared no more.
  if (planned)
    return { recorded: planned, claims: [claim('False', 'Changing', 'users are written down')], isRunning: true };
  return await keep(cluster, wanted, passwords, { etcd, endpoint, context });
}

async function keep(
  { metadata: { uid = '' }, status }: EtcdCluster,
  wanted: WantedAccess | undefined,
  passwords: Passwords,
  means: Means,
): Promise<Access> {
  const recorded = status?.auth ?? NOBODY;
  const last = looked.get(uid);
  if (last?.digest === digestOf(wanted, recorded) && Date.now() - last.at < AGAIN) {
    return { recorded, claims: [last.claim], isRunning: false };
  }
  try {
    const access = await mend(wanted, recorded, passwords, means);
    const [claim] = access.claims;
    if (!claim || !access.recorded) looked.delete(uid);
    else looked.set(uid, { digest: digestOf(wanted, access.recorded), at: Date.now(), claim });
    return access;
  } catch (error) {
    if (!(error instanceof EtcdError)) throw error;
    return { recorded, claims: [claim('False', 'EtcdRefused', error.message)], isRunning: true };
  }
}

const digestOf = (wanted: WantedAccess | undefined, recorded: RecordedAccess) =>
  checksum({ wanted: wanted ?? null, recorded });

/** What could not be seen to stays as it was said. */
export const unseen = ({ status }: EtcdCluster): Access => ({ recorded: status?.auth, claims: [], isRunning: false });

const NOBODY: RecordedAccess = { roles: [], users: [] };
const claim = (status: 'True' | 'False', reason: string, message: string): ConditionClaim => ({
  type: 'AccessReady',
  status,
  reason,
  message,
});

interface Password {
  readonly text: string;
  /** Of the Secret that it is in: a text, for nothing can be found out from it. */
  readonly version: string;
}
type Passwords = ReadonlyMap<string, Password>;

async function passwordsOf(
  { spec, metadata }: EtcdCluster,
  { client, signal }: AuthorContext,
): Promise<Passwords | { readonly lacks: ConditionClaim }> {
  const passwords = new Map<string, Password>();
  const { namespace = '' } = metadata;
  for (const { name: user, passwordSecret } of spec.auth?.users ?? []) {
    if (!passwordSecret) continue;
    const { name, key } = passwordSecret;
    const where = `spec.auth.users, ${user}: the Secret ${name}`;
    const secret = await client.find(Secret, { name, namespace }, { signal });
    if (!secret) return { lacks: claim('False', 'SecretMissing', `${where} is not there: make it, with ${key}`) };
    const text = Buffer.from(secret.data?.[key] ?? '', 'base64').toString();
    if (text === '') return { lacks: claim('False', 'SecretMissing', `${where} has nothing under ${key}`) };
    passwords.set(user, { text, version: `${secret.metadata.uid}/${secret.metadata.resourceVersion}/${key}` });
  }
  return passwords;
}

function wantedOf({ spec: { auth } }: EtcdCluster, passwords: Passwords): WantedAccess | undefined {
  if (!auth) return undefined;
  return {
    roles: auth.roles.map(({ name, permissions }) => ({ name, permissions: permissions.map(permissionOf) })),
    users: auth.users.map(({ name, roles }) => ({ name, roles, password: passwords.get(name)?.version })),
  };
}

/** With everybody who is wanted; undefined if that is what is written down. */
function planOf(wanted: WantedAccess | undefined, recorded: RecordedAccess | undefined): RecordedAccess | undefined {
  const { roles, users } = recorded ?? NOBODY;
  const newRoles = (wanted?.roles ?? []).map(({ name }) => name).filter((name) => !roles.includes(name));
  const newUsers = (wanted?.users ?? []).filter(({ name }) => !users.some((user) => user.name === name));
  if (recorded && newRoles.length + newUsers.length === 0) return undefined;
  return {
    roles: [...roles, ...newRoles],
    users: [...users, ...newUsers.map(({ name }) => ({ name, password: UNKNOWN }))],
  };
}
/** Of one whose password etcd was not told yet. */
const UNKNOWN = '';

interface Means {
  readonly etcd: EtcdClient;
  readonly endpoint: Endpoint;
  readonly context: AuthorContext;
}

async function mend(
  wanted: WantedAccess | undefined,
  recorded: RecordedAccess,
  passwords: Passwords,
  means: Means,
): Promise<Access> {
  const { event, log, signal } = means.context;
  const seen = await see(wanted, recorded, means);
  const steps = decideAccess(wanted, seen, recorded);
  for (const step of steps) {
    await take(step, passwords, means);
    const said = describe(step);
    log.info(said, { step: step.do });
    event('Normal', 'AccessChanged', said);
    signal.throwIfAborted();
  }
  if (!wanted)
    return {
      recorded: undefined,
      claims: [claim('False', 'NotDeclared', 'nobody is asked who he is')],
      isRunning: false,
    };
  const users = wanted.users.map(({ name, password }) => ({ name, ...(password === undefined ? {} : { password }) }));
  const message = `${wanted.users.length} users and ${wanted.roles.length} roles are as declared`;
  const after = { roles: wanted.roles.map(({ name }) => name), users };
  return { recorded: after, claims: [claim('True', 'Enforced', message)], isRunning: false };
}

/** Only whom somebody here has to do with: what people have made beside is not looked at. */
async function see(wanted: WantedAccess | undefined, recorded: RecordedAccess, means: Means): Promise<SeenAccess> {
  const { etcd, endpoint, context } = means;
  const { signal } = context;
  const { enabled } = await etcd.ask(endpoint, rpc.authStatus, {}, signal);
  if (!wanted) return { enabled, roles: new Map(), users: new Map() };
  const names = {
    roles: namesOf(wanted.roles, recorded.roles),
    users: new Set([
      ...namesOf(
        wanted.users,
        recorded.users.map(({ name }) => name),
      ),
      ROOT,
    ]),
  };
  const known = await etcd.ask(endpoint, rpc.roles, {}, signal);
  const roles = new Map<string, readonly Permission[]>();
  for (const role of known.roles.filter((role) => names.roles.has(role))) {
    const { permissions } = await etcd.ask(endpoint, rpc.role, { role }, signal);
    roles.set(
      role,
      permissions.map(({ type, key, rangeEnd }) => ({
        access: KINDS[type] ?? 'Read',
        key: key.toString('hex'),
        rangeEnd: rangeEnd.toString('hex'),
      })),
    );
  }
  const users = new Map<string, readonly string[]>();
  for (const name of (await etcd.ask(endpoint, rpc.users, {}, signal)).users.filter((name) => names.users.has(name))) {
    users.set(name, (await etcd.ask(endpoint, rpc.user, { name }, signal)).roles);
  }
  return { enabled, roles, users };
}

const namesOf = (wanted: readonly { readonly name: string }[], recorded: readonly string[]) =>
  new Set([...wanted.map(({ name }) => name), ...recorded]);

async function take(step: AccessStep, passwords: Passwords, { etcd, endpoint, context }: Means): Promise<void> {
  const { signal } = context;
  switch (step.do) {
    case 'add-role':
      return void (await etcd.ask(endpoint, rpc.addRole, { name: step.role }, signal));
    case 'delete-role':
      return void (await etcd.ask(endpoint, rpc.deleteRole, { role: step.role }, signal));
    case 'grant': {
      const { access, ...range } = step.permission;
      const permission = { type: KINDS.indexOf(access), ...bytesOf(range) };
      return void (await etcd.ask(endpoint, rpc.grantPermission, { name: step.role, permission }, signal));
    }
    case 'revoke':
      return void (await etcd.ask(
        endpoint,
        rpc.revokePermission,
        { role: step.role, ...bytesOf(step.permission) },
        signal,
      ));
    case 'add-user': {
      const password = passwords.get(step.user)?.text;
      const secret = password === undefined ? { options: { noPassword: true } } : { password };
      return void (await etcd.ask(endpoint, rpc.addUser, { name: step.user, ...secret }, signal));
    }
    case 'change-password': {
      const password = passwords.get(step.user)?.text ?? '';
      return void (await etcd.ask(endpoint, rpc.changePassword, { name: step.user, password }, signal));
    }
    case 'delete-user':
      return void (await etcd.ask(endpoint, rpc.deleteUser, { name: step.user }, signal));
    case 'give-role':
      return void (await etcd.ask(endpoint, rpc.grantRole, { user: step.user, role: step.role }, signal));
    case 'take-role':
      return void (await etcd.ask(endpoint, rpc.revokeRole, { name: step.user, role: step.role }, signal));
    case 'enable':
      return void (await etcd.ask(endpoint, rpc.authEnable, {}, signal));
    case 'disable':
      return void (await etcd.ask(endpoint, rpc.authDisable, {}, signal));
  }
}

const bytesOf = ({ key, rangeEnd }: Pick<Permission, 'key' | 'rangeEnd'>) => ({
  key: Buffer.from(key, 'hex'),
  rangeEnd: Buffer.from(rangeEnd, 'hex'),
});

function describe(step: AccessStep): string {
  switch (step.do) {
    case 'add-role':
      return `adds the role ${step.role}`;
    case 'delete-role':
      return `deletes the role ${step.role}: it is declared no more`;
    case 'grant':
    case 'revoke':
      return `${step.do === 'grant' ? 'lets' : 'lets no more'} the role ${step.role} ${step.permission.access.toLowerCase()}`;
    case 'add-user':
      return `adds the user ${step.user}`;
    case 'change-password':
      return `tells etcd the password of ${step.user}`;
    case 'delete-user':
      return `deletes the user ${step.user}`;
    case 'give-role':
    case 'take-role':
      return `${step.do === 'give-role' ? 'gives' : 'takes'} ${step.user} the role ${step.role}`;
    case 'enable':
      return 'has etcd ask everybody who he is';
    case 'disable':
      return 'has etcd ask nobody who he is any more';
  }
}
