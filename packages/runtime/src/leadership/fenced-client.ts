import type { Client } from '@kurator/client';

/**
 * The same client, which acts only while `fence` lets it: every create, replace, patch, apply, delete and command in a
 * container is refused before it is sent, once this process isn't surely the leader any more. Reads are anyone's.
 */
export function fencedClient(client: Client, fence: () => void): Client {
  const guard = <Of extends never[], R>(act: (...of: Of) => Promise<R>): ((...of: Of) => Promise<R>) =>
    (async (...of: Of) => {
      fence();
      return await act(...of);
    }) as (...of: Of) => Promise<R>;
  return {
    ...client,
    create: guard(client.create) as Client['create'],
    replace: guard(client.replace) as Client['replace'],
    patch: guard(client.patch) as Client['patch'],
    apply: guard(client.apply) as Client['apply'],
    delete: guard(client.delete),
    deleteCollection: guard(client.deleteCollection),
    exec: guard(client.exec),
    attach: guard(client.attach),
    async raw(method, path, options) {
      if (method !== 'GET') fence();
      return await client.raw(method, path, options);
    },
  };
}
