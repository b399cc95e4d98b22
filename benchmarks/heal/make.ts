/** Makes what takes part: our checks as an operator's image would ship them, their peers, and the targets. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundle } from '../subjects/bundle.ts';
import type { Subject } from '../subjects/subject.ts';
import { benchmarkCache } from '../subjects/workshop.ts';

const here = import.meta.dirname;
const threadProgram = join(
  here,
  '..',
  '..',
  'operators',
  'kurator',
  'src',
  'senses',
  'checks',
  'pool',
  'shard-worker.ts',
);

/** Who checks; `env` is for its process. */
export interface Contestant extends Subject {
  readonly env: Readonly<Record<string, string>>;
}

/** Those that can be made here, the reference first, and why the others can't. */
export async function makeContestants(): Promise<{ contestants: Contestant[]; missing: string[] }> {
  const makers = { 'kubelet-prober': makeProber, kurator: makeKurator, 'node:http': makeHttp, fetch: makeFetch };
  const contestants: Contestant[] = [];
  const missing: string[] = [];
  for (const [name, make] of Object.entries(makers)) {
    await make().then(
      (command) => contestants.push({ name, command, env: name === 'fetch' ? { CLIENT: 'fetch' } : {} }),
      (error: Error) => missing.push(`${name}: ${error.message.split('\n')[0]}`),
    );
  }
  return { contestants, missing };
}

/** What is checked. */
export async function makeTargets(): Promise<Subject> {
  return { name: 'targets', command: [await goProgram('targets')] };
}

async function makeProber(): Promise<Subject['command']> {
  return [await goProgram('prober')];
}

/** The program and, beside it, that of its threads: that is how a published package lies as well. */
async function makeKurator(): Promise<Subject['command']> {
  const files = {
    'kurator.js': await bundle(join(here, 'kurator.ts')),
    'shard-worker.js': await bundle(threadProgram),
  };
  return [process.execPath, join(await kept('heal-kurator', files), 'kurator.js')];
}

async function makeHttp(): Promise<Subject['command']> {
  const files = { 'plain-node.js': await bundle(join(here, 'plain-node.ts')) };
  return [process.execPath, join(await kept('heal-plain-node', files), 'plain-node.js')];
}

const makeFetch = makeHttp;

/** A folder in the cache with these files, named by their content. */
async function kept(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const digest = createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 12);
  const folder = join(benchmarkCache(), `${name}-${digest}`);
  await mkdir(folder, { recursive: true });
  for (const [file, text] of Object.entries({ 'package.json': '{ "type": "module" }', ...files })) {
    const temporary = join(folder, `${file}.${process.pid}`);
    await writeFile(temporary, text);
    await rename(temporary, join(folder, file));
  }
  return folder;
}

/** The program in the folder of this name, built once for each state of its source. */
async function goProgram(name: string): Promise<string> {
  const source = join(here, name);
  const text = await readFile(join(source, 'main.go'));
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12);
  const program = join(benchmarkCache(), `heal-${name}-${digest}`);
  const isThere = await access(program).then(
    () => true,
    () => false,
  );
  if (isThere) return program;
  await mkdir(benchmarkCache(), { recursive: true });
  const temporary = `${program}.${process.pid}`;
  const env = { ...process.env, CGO_ENABLED: '0' };
  await promisify(execFile)('go', ['build', '-trimpath', '-ldflags', '-s -w', '-o', temporary, '.'], {
    cwd: source,
    env,
  });
  await rename(temporary, program);
  return program;
}
