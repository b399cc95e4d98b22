/** Who may read and write what, as people declare it. */
import { listMap, reference, rule, Secret, z } from '@kurator/sdk';

/** Names that certificates of the operator's own making bear: a user of such a name would be whoever has one. */
const RESERVED = ['root', 'etcd-peer'];
const name = (what: string) =>
  rule(
    z
      .string()
      .min(1)
      .max(64)
      .regex(/^[A-Za-z0-9_]([A-Za-z0-9_.@-]*[A-Za-z0-9_])?$/),
    `!(self in ${JSON.stringify(RESERVED)})`,
    `${RESERVED.join(' and ')} are the operator's own: give the ${what} another name`,
    { check: (given) => !RESERVED.includes(given) },
  );

const permission = rule(
  z.object({
    access: z.enum(['Read', 'Write', 'ReadWrite']),
    key: z.string().min(1).max(512).describe('This key alone.').optional(),
    prefix: z.string().max(512).describe('Every key that begins so; all keys where it is empty.').optional(),
  }),
  'has(self.key) != has(self.prefix)',
  'give either key or prefix',
  { check: (given) => (given.key === undefined) !== (given.prefix === undefined) },
);

/** In etcd there is also the role root, which may do everything. */
export const auth = () =>
  rule(
    z.object({
      roles: listMap(z.object({ name: name('role'), permissions: z.array(permission).max(32).default([]) }), ['name'])
        .max(32)
        .default([]),
      users: listMap(
        z.object({
          name: name('user'),
          passwordSecret: z
            .object({
              name: reference(z.string().min(1).max(253), { to: Secret, verbs: ['get'] }),
              key: z.string().min(1).max(253).default('password'),
            })
            .describe('A Secret of this namespace. Without one the user is whoever shows a certificate with his name.')
            .optional(),
          roles: z.array(z.string().min(1).max(64)).max(8).default([]).describe('Of those above, or root.'),
        }),
        ['name'],
      )
        .max(32)
        .default([]),
    }),
    '!has(self.users) || self.users.all(user, !has(user.roles) || user.roles.all(role, role == "root" || (has(self.roles) && self.roles.exists(known, known.name == role))))',
    'a user has a role that is not declared: add it to roles, or take it from the user',
  );
