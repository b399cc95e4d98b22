// A process of its own that puts one object into a folder, and says what came of it: `putting-process.ts FOLDER KEY SIZE`.
import { createFolderStore } from '../../src/index.ts';

const [folder = '', key = '', size = ''] = process.argv.slice(2);
const store = createFolderStore({ folder });
const result = await store.put(key, Buffer.alloc(Number(size), 'x')).then(
  () => 'done',
  (error) => error.code,
);
process.stdout.write(result);
