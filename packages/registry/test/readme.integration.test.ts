// The README's example is this folder's readme-example.ts, which runs.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { blobOfJson, createRegistryClient, descriptorOf, MEDIA_TYPE } from '../src/index.ts';
import { programs, RealRegistry } from './support/real-registry.ts';

const example = join(import.meta.dirname, 'readme-example.ts');

it('the example in the README is the one that is tested', async () => {
  const readme = await readFile(join(import.meta.dirname, '..', 'README.md'), 'utf8');
  expect(readme).toContain(`\`\`\`ts\n${await readFile(example, 'utf8')}\`\`\``);
});

it.runIf(programs.length > 0)('the example in the README runs', async () => {
  await using registry = await RealRegistry.start(programs[0]?.program ?? '');
  const client = createRegistryClient();
  onTestFinished(() => client.close());
  const name = `${registry.host}/demo/web`;
  const web = client.repository(name);
  const config = blobOfJson({ os: 'linux', architecture: 'arm64', rootfs: { type: 'layers', diff_ids: [] } });
  await web.pushBlob(config);
  const manifest = blobOfJson({
    schemaVersion: 2,
    mediaType: MEDIA_TYPE.manifest,
    config: descriptorOf(MEDIA_TYPE.config, config),
    layers: [],
  });
  await web.pushManifest('v1', MEDIA_TYPE.manifest, manifest);
  await web.attach(descriptorOf(MEDIA_TYPE.manifest, manifest), {
    artifactType: 'application/spdx+json',
    content: Buffer.from('{}'),
  });
  const args = ['--conditions=source', example, `${name}:v1`];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout).toContain(`${name}:v1@${manifest.digest}\nfor linux/arm64\n`);
  expect(stdout).toContain('tag v1\n');
  expect(stdout).toContain('has application/spdx+json\n');
});
