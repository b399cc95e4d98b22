/** What a pod would wait for without a word: objects that a storage names, and what must be in them. */
import { type Client, PersistentVolumeClaim, Secret } from '@kurator/sdk';
import type { Storage } from './storage-fields.ts';

/** The field and the remedy; undefined if all is there. */
export async function missingFor(
  { s3, volume }: Storage,
  namespace: string,
  client: Pick<Client, 'find'>,
): Promise<string | undefined> {
  if (volume) {
    const claim = await client.find(PersistentVolumeClaim, { name: volume.claimName, namespace });
    return claim ? undefined : `storage.volume.claimName: there is no claim ${volume.claimName} in this namespace`;
  }
  if (!s3) return undefined;
  const secrets: [field: string, name: string | undefined, keys: string[]][] = [
    ['credentialsSecret', s3.credentialsSecret, ['accessKeyId', 'secretAccessKey']],
    ['caSecret', s3.caSecret, ['ca.crt']],
  ];
  for (const [field, name, keys] of secrets) {
    if (!name) continue;
    const secret = await client.find(Secret, { name, namespace });
    if (!secret) return `storage.s3.${field}: there is no Secret ${name} in this namespace`;
    const lacking = keys.find((key) => !secret.data?.[key]);
    if (lacking) return `storage.s3.${field}: the Secret ${name} has no ${lacking}`;
  }
  return undefined;
}
