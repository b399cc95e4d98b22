/** An operator as it is in a pod: a process of its own, which SIGKILL ends in the middle of anything. */
import { spawn } from 'node:child_process';
import { extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { TestenvError } from '../../error.ts';
import { cacheFolder } from '../../folders.ts';

/** What is run as the operator. */
export interface OperatorProgram {
  /** The program that is deployed too: JavaScript or TypeScript for Node, or anything else that can be executed. */
  readonly program: string | URL;
  readonly args?: readonly string[];
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** How a process has ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface OperatorProcess {
  readonly ended: Promise<Ending>;
  /** Its last words: the end of what it printed. */
  lastWords(): string;
  /** Ends it at once, and says how it ended. */
  kill(): Promise<Ending>;
}

const scripts = ['.ts', '.mts', '.js', '.mjs', '.cjs'];
const LINES = 20;
const DYING = 10_000;

/** A file's path, also of a `file:` URL. */
export function pathOf(program: string | URL): string {
  const text = String(program);
  return text.startsWith('file:') ? fileURLToPath(text) : text;
}

/** @param kubeconfig The file that leads it to its API server. */
export function startOperator(operator: OperatorProgram, kubeconfig: string, namespace: string): OperatorProcess {
  const { KUBERNETES_SERVICE_HOST: _, ...inherited } = process.env;
  const path = pathOf(operator.program);
  const isScript = scripts.includes(extname(path));
  const command = isScript ? [process.execPath, ...nodeArguments(), path] : [path];
  const child = spawn(command[0] as string, [...command.slice(1), ...(operator.args ?? [])], {
    stdio: ['ignore', 'pipe', 'pipe', ...(isScript ? (['ipc'] as const) : [])],
    env: {
      NODE_COMPILE_CACHE: cacheFolder('compiled'),
      ...inherited,
      KUBECONFIG: kubeconfig,
      WATCH_NAMESPACE: namespace,
      POD_NAMESPACE: namespace,
      ...operator.env,
    },
  });
  const words: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      words.push(...text.split('\n').filter(Boolean));
      words.splice(0, words.length - LINES);
    });
  }
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = new Promise<Ending>((resolve, reject) => {
    child.once('error', reject).once('exit', (code, signal) => resolve({ code, signal }));
  }).finally(() => process.off('exit', kill));
  ended.catch(() => {});
  return {
    ended,
    lastWords: () => words.join('\n'),
    async kill() {
      kill();
      const late = Promise.withResolvers<never>();
      const timer = setTimeout(() => late.reject(new TestenvError('KUR_TESTENV_CRASH', 'it did not die')), DYING);
      return await Promise.race([ended, late.promise]).finally(() => clearTimeout(timer));
    },
  };
}

/** As this process resolves its packages, so does the operator's. */
function nodeArguments(): string[] {
  const conditions = process.execArgv.filter((argument) => /^(--conditions|-C)=/.test(argument));
  const leash = join(import.meta.dirname, `leash${extname(import.meta.filename)}`);
  return [...conditions, '--import', pathToFileURL(leash).href];
}
