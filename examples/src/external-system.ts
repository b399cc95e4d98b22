/**
 * A finalizer with an external system: each Mailbox is an account elsewhere, made with the object and closed before the
 * object goes. Every call may be made twice, so every call must be harmless the second time.
 */
import { operator, resource, z } from '@kurator/sdk';

export const Mailbox = resource({
  group: 'examples.kurator.sh',
  version: 'v1',
  kind: 'Mailbox',
  spec: z.object({ quota: z.int().min(1).default(100) }),
  status: z.object({ address: z.string() }),
});

/** The system outside; here an HTTP API with accounts at `/accounts/NAME`. */
const accounts = process.env.MAIL_API ?? 'http://127.0.0.1:8025';

async function call(method: string, account: string, signal: AbortSignal, body?: object) {
  const url = `${accounts}/accounts/${account}`;
  const answer = await fetch(url, { method, signal, ...(body && { body: JSON.stringify(body) }) });
  // A deletion that finds nothing has succeeded.
  if (!answer.ok && !(method === 'DELETE' && answer.status === 404)) {
    throw new Error(`${method} of account ${account}: the mail system says ${answer.status}`);
  }
}

export const example = operator({ name: 'mailboxes' })
  .controller(Mailbox)
  .cleanup(async ({ metadata }, { signal }) => await call('DELETE', metadata.uid ?? '', signal))
  .reconcile(async ({ metadata, spec }, { signal }) => {
    await call('PUT', metadata.uid ?? '', signal, { quota: spec.quota });
    return { status: { address: `${metadata.name}@example.com` } };
  });
