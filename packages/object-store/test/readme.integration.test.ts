// The README's example is this folder's readme-example.ts, which runs.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { credentials, S3Server } from './support/s3-server.ts';

const example = join(import.meta.dirname, 'readme-example.ts');

it('the example in the README is the one that is tested', async () => {
  const readme = await readFile(join(import.meta.dirname, '..', 'README.md'), 'utf8');
  expect(readme).toContain(`\`\`\`ts\n${await readFile(example, 'utf8')}\`\`\``);
});

async function runExample(settings: Record<string, string>): Promise<string> {
  const env = { ...process.env, ...settings };
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=source', example], { env });
  return stdout;
}
const printed = 'a diverged primary was refused\n10000000 of 10000000 bytes came back, with the right digest\n';

it('the example in the README runs with S3', async () => {
  await using server = await S3Server.start();
  await server.createBucket('backups');
  const { accessKeyId: ACCESS_KEY_ID, secretAccessKey: SECRET_ACCESS_KEY } = credentials;
  expect(await runExample({ S3_ENDPOINT: server.url, ACCESS_KEY_ID, SECRET_ACCESS_KEY })).toBe(printed);
});

it('the example in the README runs with a folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'readme-'));
  try {
    expect(await runExample({ S3_ENDPOINT: '', BACKUP_FOLDER: folder })).toBe(printed);
  } finally {
    await rm(folder, { recursive: true });
  }
});
