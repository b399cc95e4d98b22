import { checkStore, createFolderStore, createS3Store, isStoreError } from '@kurator/object-store';

const { S3_ENDPOINT, BACKUP_FOLDER = '/backups', ACCESS_KEY_ID = '', SECRET_ACCESS_KEY = '' } = process.env;
const credentials = { accessKeyId: ACCESS_KEY_ID, secretAccessKey: SECRET_ACCESS_KEY };

await using store = S3_ENDPOINT
  ? createS3Store({ endpoint: S3_ENDPOINT, bucket: 'backups', credentials })
  : createFolderStore({ folder: BACKUP_FOLDER });
await checkStore(store);

// A segment that is there is never overwritten, by whoever believes to be the primary.
const segment = Buffer.from('changes');
await store.put('wal/000000010000000000000001', segment, { ifAbsent: true });
try {
  await store.put('wal/000000010000000000000001', Buffer.from('others'), { ifAbsent: true });
} catch (error) {
  if (!isStoreError(error, 'KUR_STORE_EXISTS')) throw error;
  process.stdout.write('a diverged primary was refused\n');
}

// A stream of any length; after a crash the same token continues from the parts that are there.
async function* snapshot() {
  for (let i = 0; i < 100; i += 1) yield Buffer.alloc(100_000, i);
}
const { size, sha256 } = await store.put('snapshots/42', snapshot(), { token: 'uid-of-the-backup' });

const { body } = await store.get('snapshots/42', sha256 === undefined ? {} : { sha256 });
let bytes = 0;
for await (const chunk of body) bytes += chunk.length;
process.stdout.write(`${bytes} of ${size} bytes came back, with the right digest\n`);

for await (const { objects } of store.list('wal/')) await store.deleteMany(objects.map(({ key }) => key));
for await (const upload of store.listUploads('')) {
  if (Date.now() - upload.startedAt.getTime() > 24 * 3600_000) await store.abortUpload(upload);
}
