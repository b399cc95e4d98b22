// A process of its own that puts objects into a folder until it is killed: `writer-process.ts FOLDER KEY HOW`.
import { createFolderStore } from '../../src/index.ts';

const [folder = '', key = '', how = ''] = process.argv.slice(2);
const store = createFolderStore({ folder });

/** Every version has one letter only, and another length: a mixture of two would be seen. */
function versions(letter: string, size: number): Buffer {
  return Buffer.alloc(size, letter);
}

async function* endless(letter: string): AsyncGenerator<Buffer> {
  yield versions(letter, 12 * 2 ** 20);
  await new Promise(() => setInterval(() => undefined, 1000));
}

process.stdout.write('ready\n');
for (let i = 0; ; i += 1) {
  const letter = String.fromCharCode(97 + (i % 26));
  if (how === 'small') await store.put(key, versions(letter, 1000 + i));
  else if (how === 'large') await store.put(key, versions(letter, 6 * 2 ** 20 + i), { partSize: 5 * 2 ** 20 });
  else if (how === 'token') await store.put(key, endless(letter), { partSize: 5 * 2 ** 20, token: 'backup-7' });
  else {
    const { info } = await store.get(key);
    await store.put(key, versions(letter, 10 + i), { ifMatch: info.etag }).catch(() => undefined);
  }
}
