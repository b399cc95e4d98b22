/** Building for several platforms, and pushing to a real registry: what a script reads of it. */
import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRegistryClient, isIndex, platformsOf } from '@kurator/registry';
import { type LocalRegistry, localRegistry } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const main = join(import.meta.dirname, '..', 'src', 'main.ts');
const gadget = join(import.meta.dirname, 'support', 'gadget');
const both = 'linux/amd64,linux/arm64';
const platforms = both.split(',').map((text) => ({ os: 'linux', architecture: text.slice('linux/'.length) }));

let place: string;
let registry: LocalRegistry;
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'kurator-push-'));
  registry = await localRegistry();
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await rm(place, { recursive: true, force: true });
});

/** @param stdin A file that is piped in. */
async function kurator(args: readonly string[], stdin?: string) {
  const env = { ...process.env, XDG_CACHE_HOME: join(place, 'cache') };
  const flags = ['--conditions=source', '--disable-warning=ExperimentalWarning'];
  const child = spawn(process.execPath, [...flags, main, ...args], { env });
  if (stdin) createReadStream(stdin).pipe(child.stdin);
  else child.stdin.end();
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      said[stream] += text;
    });
  }
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, ...said };
}

/** What the registry has under a name with its digest. */
async function pushedAs(pinned: string) {
  await using client = createRegistryClient();
  return await client.repository(pinned).manifest(pinned.slice(pinned.indexOf('@') + 1));
}

describe('an image for several platforms', () => {
  const archive = () => join(place, 'base.tar');
  beforeAll(async () => {
    const folder = join(place, 'files');
    await mkdir(join(folder, 'usr/bin'), { recursive: true });
    await writeFile(join(folder, 'usr/bin/node'), '', { mode: 0o755 });
    const what = ['--folder', folder, '--entrypoint', '/usr/bin/node', '--platform', both];
    const built = await kurator(['image', 'build', '--tag', 'base:v1', ...what, '--archive', archive(), '-o', 'name']);
    expect(built).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^docker\.io\/library\/base:v1@sha256:\w{64}\n$/),
    });
  });

  it('is pushed as an index, and its name with the digest is all that is printed', async () => {
    const name = `${registry.host}/demo/base:v1`;
    const { code, stdout, stderr } = await kurator(['push', archive(), name]);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^localhost:\d+\/demo\/base:v1@sha256:\w{64}\n$/);
    const { content } = await pushedAs(stdout.trim());
    expect(isIndex(content) && platformsOf(content)).toEqual(platforms);
    // The same content, piped in, is the same image.
    expect(await kurator(['push', '-', name], archive())).toEqual({ code: 0, stdout, stderr: expect.any(String) });
  });

  it('is what an operator is put on, for the same platforms', async () => {
    await kurator(['push', archive(), `${registry.host}/demo/base:v1`]);
    const names = ['--base', `${registry.host}/demo/base:v1`, '--tag', `${registry.host}/demo/gadget:v1`];
    const { code, stdout, stderr } = await kurator(['build', gadget, ...names, '--platform', both, '--push']);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^localhost:\d+\/demo\/gadget:v1@sha256:\w{64}\n$/);
    expect(stderr).toContain('for      linux/amd64, linux/arm64');
    const { content } = await pushedAs(stdout.trim());
    expect(isIndex(content) && platformsOf(content)).toEqual(platforms);
  });

  it('is refused where nobody has a Node for it', async () => {
    const elsewhere = process.arch === 'arm64' ? 'linux/amd64' : 'linux/arm64';
    const { code, stderr } = await kurator(['build', gadget, '--platform', elsewhere]);
    expect(stderr).toContain(`--platform ${elsewhere}`);
    expect(stderr).toContain('--base node:24-slim');
    expect(code).toBe(2);
  });
});
