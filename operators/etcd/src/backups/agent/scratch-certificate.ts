/**
 * The certificate of a scratch member, which is also the one that it is asked with: where etcd has users, the data that was restored has
 * them too, and lets nobody in but root. It leaves the pod as little as the member does.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAuthority, issueLeaf, leafData } from '@kurator/pki';
import { ROOT } from '../../children/names.ts';
import { places } from '../task.ts';

const LIFETIME = 86_400_000;

export async function makeScratchCertificate(now = Date.now()): Promise<void> {
  const authority = createAuthority({ name: 'etcd scratch member', lifetime: LIFETIME, now });
  const pair = issueLeaf(authority, {
    commonName: ROOT,
    names: ['localhost', '127.0.0.1'],
    usages: ['server', 'client'],
    lifetime: LIFETIME,
    now,
  });
  await mkdir(places.scratchTls, { recursive: true });
  for (const [name, content] of Object.entries(leafData({ pair, bundle: authority.pem }))) {
    await writeFile(join(places.scratchTls, name), Buffer.from(content, 'base64'), { mode: 0o600 });
  }
}
