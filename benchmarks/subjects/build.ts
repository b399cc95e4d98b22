/** Makes every operator that takes part, once: our own from its published form, the others with their own tools. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, cp, mkdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Subject } from './subject.ts';

const run = promisify(execFile);
const here = import.meta.dirname;
const root = join(here, '..', '..');

/** Those that can be built here, and why the others can't. */
export async function buildSubjects(): Promise<{ subjects: Subject[]; missing: string[] }> {
  const makers = { kurator, 'controller-runtime': controllerRuntime };
  const subjects: Subject[] = [];
  const missing: string[] = [];
  for (const [name, make] of Object.entries(makers)) {
    await make().then(
      (subject) => subjects.push(subject),
      (error: Error) => missing.push(`${name}: ${error.message.split('\n')[0]}`),
    );
  }
  return { subjects, missing };
}

async function kurator(): Promise<Subject> {
  await run(process.execPath, [join(root, 'scripts', 'build.mjs')], { cwd: root });
  return { name: 'kurator', command: [process.execPath, join(here, 'kurator', 'main.ts')] };
}

async function controllerRuntime(): Promise<Subject> {
  const folder = join(here, 'controller-runtime');
  const recipe = createHash('sha256');
  for (const file of ['main.go', 'go.mod']) recipe.update(await readFile(join(folder, file)));
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const workshop = join(cache, 'kurator', 'benchmarks', `controller-runtime-${recipe.digest('hex').slice(0, 12)}`);
  const binary = join(workshop, 'echo');
  const built = await access(binary).then(
    () => true,
    () => false,
  );
  if (!built) {
    await mkdir(workshop, { recursive: true });
    await cp(folder, workshop, { recursive: true });
    const options = { cwd: workshop, env: { ...process.env, GOFLAGS: '-mod=mod', CGO_ENABLED: '0' }, timeout: 900_000 };
    await run('go', ['mod', 'tidy'], options);
    await run('go', ['build', '-trimpath', '-ldflags', '-s -w', '-o', binary, '.'], options);
  }
  return { name: 'controller-runtime', command: [binary] };
}
