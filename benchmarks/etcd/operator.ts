/** The operator as a process of this machine: quick to start, quick to kill, and made wrong where a mutant is wanted. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import type { MutantName } from './mutants.ts';

const root = join(import.meta.dirname, '..', '..');
const brain = join(root, 'operators', 'etcd', 'src', 'brain', 'decide.ts');
const mutantsFile = join(import.meta.dirname, 'mutants.ts');

/** The programs, each bundled when it is first wanted. */
export class Workshop implements AsyncDisposable {
  readonly #folder: Promise<string> = mkdtemp(join(tmpdir(), 'kurator-bench-etcd-'));
  readonly #made = new Map<string, Promise<string>>();

  /** Of the operator that is no mutant: another one has another. */
  async digest(): Promise<string> {
    const digest = createHash('sha256').update(await readFile(await this.program()));
    return digest.digest('hex').slice(0, 12);
  }

  program(mutant?: MutantName): Promise<string> {
    const key = mutant ?? 'operator';
    const made = this.#made.get(key) ?? this.#bundle(key, mutant);
    this.#made.set(key, made);
    return made;
  }

  async #bundle(key: string, mutant: MutantName | undefined): Promise<string> {
    const folder = await this.#folder;
    const outfile = join(folder, `${key}.mjs`);
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    let replaced = 0;
    const plugins = mutant ? [withMutant(mutant, () => (replaced += 1))] : [];
    await build({
      entryPoints: [join(root, 'operators', 'etcd', 'src', 'main.ts')],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node22',
      conditions: ['source'],
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
      logLevel: 'error',
      plugins,
    });
    if (mutant && replaced === 0)
      throw new Error(`${brain} is not where decisions are imported from: no mutant was made`);
    return outfile;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(await this.#folder, { recursive: true, force: true });
  }
}

/** Whoever imports `decide` gets the mutant's, which has the true one to go by. */
function withMutant(name: MutantName, onReplaced: () => void): Plugin {
  const source = `
    import { decide as truly } from ${JSON.stringify(brain)};
    import { mutants } from ${JSON.stringify(mutantsFile)};
    const mutant = mutants[${JSON.stringify(name)}].decide;
    export const decide = (situation) => mutant(situation, truly);
  `;
  return {
    name: 'mutant',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /brain\/decide\.ts$/ }, ({ importer, namespace }) => {
        if (namespace === 'mutant' || importer === mutantsFile) return undefined;
        onReplaced();
        return { path: name, namespace: 'mutant' };
      });
      onLoad({ filter: /./, namespace: 'mutant' }, () => ({ contents: source, loader: 'ts', resolveDir: root }));
    },
  };
}

/** One operator that looks after one namespace, until it is told to end; after a kill another takes its place at once. */
export class RunningOperator implements AsyncDisposable {
  readonly #program: string;
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcess;
  #words: string[] = [];

  constructor(program: string, kubeconfig: string, namespace: string, env: NodeJS.ProcessEnv = {}) {
    this.#program = program;
    const { KUBERNETES_SERVICE_HOST: _, ...inherited } = process.env;
    const own = { KUBECONFIG: kubeconfig, WATCH_NAMESPACE: namespace, POD_NAMESPACE: namespace };
    this.#env = { ...inherited, ...own, ...env };
    this.#child = this.#start();
  }

  /** SIGKILL, in the middle of whatever it does. */
  async kill(): Promise<void> {
    await this.#end();
    this.#child = this.#start();
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Its last words. */
  get words(): string {
    return this.#words.join('\n');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
  }

  #start(): ChildProcess {
    const child = spawn(process.execPath, [this.#program], { stdio: ['ignore', 'pipe', 'pipe'], env: this.#env });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#words.push(...text.split('\n').filter(Boolean));
        this.#words = this.#words.slice(-400);
      });
    }
    return child;
  }

  async #end(): Promise<void> {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }
}
