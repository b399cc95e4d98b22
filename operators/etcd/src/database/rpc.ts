/** What etcd can be asked, as its rpc.proto has it: as much of each message as somebody here reads or writes. */
import { ask, stream, type Target } from './grpc.ts';
import { type Draft, decode, encode, type Message, type Shape } from './protobuf.ts';

/** One of them: what is asked, and what comes back. */
export interface Call<Q extends Shape, A extends Shape> {
  readonly method: string;
  readonly question: Q;
  readonly answer: A;
}
const call = <const Q extends Shape, const A extends Shape>(method: string, question: Q, answer: A): Call<Q, A> => ({
  method,
  question,
  answer,
});

const header = { clusterId: [1, 'id'], memberId: [2, 'id'], revision: [3, 'int'] } as const;
const member = { id: [1, 'id'], peerUrls: [3, 'text', 'many'], isLearner: [5, 'flag'] } as const;
const permission = { type: [1, 'int'], key: [2, 'bytes'], rangeEnd: [3, 'bytes'] } as const;

export const rpc = {
  status: call(
    'Maintenance/Status',
    {},
    {
      header: [1, header],
      version: [2, 'text'],
      dbSize: [3, 'int'],
      leader: [4, 'id'],
      errors: [8, 'text', 'many'],
      dbSizeInUse: [9, 'int'],
      isLearner: [10, 'flag'],
    },
  ),
  alarm: call(
    'Maintenance/Alarm',
    { action: [1, 'int'], memberId: [2, 'id'], alarm: [3, 'int'] },
    { alarms: [2, { memberId: [1, 'id'], alarm: [2, 'int'] }, 'many'] },
  ),
  defragment: call('Maintenance/Defragment', {}, {}),
  moveLeader: call('Maintenance/MoveLeader', { target: [1, 'id'] }, {}),
  hash: call(
    'Maintenance/HashKV',
    { revision: [1, 'int'] },
    { header: [1, header], hash: [2, 'int'], compactRevision: [3, 'int'], hashRevision: [4, 'int'] },
  ),
  snapshot: call('Maintenance/Snapshot', {}, { remaining: [2, 'int'], blob: [3, 'bytes'] }),
  members: call('Cluster/MemberList', { linearizable: [1, 'flag'] }, { members: [2, member, 'many'] }),
  addMember: call('Cluster/MemberAdd', { peerUrls: [1, 'text', 'many'], isLearner: [2, 'flag'] }, {}),
  removeMember: call('Cluster/MemberRemove', { id: [1, 'id'] }, {}),
  promoteMember: call('Cluster/MemberPromote', { id: [1, 'id'] }, {}),
  range: call('KV/Range', { key: [1, 'bytes'], limit: [3, 'int'], keysOnly: [8, 'flag'] }, {}),
  compact: call('KV/Compact', { revision: [1, 'int'], physical: [2, 'flag'] }, {}),
  grantLease: call('Lease/LeaseGrant', { seconds: [1, 'int'] }, { id: [2, 'id'] }),
  revokeLease: call('Lease/LeaseRevoke', { id: [1, 'id'] }, {}),
  authStatus: call('Auth/AuthStatus', {}, { enabled: [2, 'flag'] }),
  authEnable: call('Auth/AuthEnable', {}, {}),
  authDisable: call('Auth/AuthDisable', {}, {}),
  users: call('Auth/UserList', {}, { users: [2, 'text', 'many'] }),
  user: call('Auth/UserGet', { name: [1, 'text'] }, { roles: [2, 'text', 'many'] }),
  addUser: call(
    'Auth/UserAdd',
    { name: [1, 'text'], password: [2, 'text'], options: [3, { noPassword: [1, 'flag'] }] },
    {},
  ),
  deleteUser: call('Auth/UserDelete', { name: [1, 'text'] }, {}),
  changePassword: call('Auth/UserChangePassword', { name: [1, 'text'], password: [2, 'text'] }, {}),
  grantRole: call('Auth/UserGrantRole', { user: [1, 'text'], role: [2, 'text'] }, {}),
  revokeRole: call('Auth/UserRevokeRole', { name: [1, 'text'], role: [2, 'text'] }, {}),
  roles: call('Auth/RoleList', {}, { roles: [2, 'text', 'many'] }),
  role: call('Auth/RoleGet', { role: [1, 'text'] }, { permissions: [2, permission, 'many'] }),
  addRole: call('Auth/RoleAdd', { name: [1, 'text'] }, {}),
  deleteRole: call('Auth/RoleDelete', { role: [1, 'text'] }, {}),
  grantPermission: call('Auth/RoleGrantPermission', { name: [1, 'text'], permission: [2, permission] }, {}),
  revokePermission: call(
    'Auth/RoleRevokePermission',
    { role: [1, 'text'], key: [2, 'bytes'], rangeEnd: [3, 'bytes'] },
    {},
  ),
} as const;

export async function invoke<Q extends Shape, A extends Shape>(
  target: Target,
  { method, question, answer }: Call<Q, A>,
  draft: Draft<Q>,
  signal: AbortSignal,
): Promise<Message<A>> {
  return decode(answer, await ask(target, method, encode(question, draft), signal));
}

export async function* listen<Q extends Shape, A extends Shape>(
  target: Target,
  { method, question, answer }: Call<Q, A>,
  draft: Draft<Q>,
  signal: AbortSignal,
): AsyncGenerator<Message<A>> {
  for await (const message of stream(target, method, encode(question, draft), signal)) yield decode(answer, message);
}
