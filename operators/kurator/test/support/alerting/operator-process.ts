/** Starts what delivers alerts as a process, and ends it without a word. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const program = join(import.meta.dirname, 'delivering-operator.ts');
/** What it compiles is kept for the next one (`npm test` says where), also when it is killed. */
const flush = "import { flushCompileCache } from 'node:module'; setTimeout(flushCompileCache, 1000).unref();";

/** An operator in a process of its own. */
export class OperatorProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  /** All that it has said. */
  output = '';

  constructor(namespace: string) {
    const args = ['--conditions=source', '--import', `data:text/javascript,${flush}`, program, namespace];
    this.#child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (bytes) => {
        this.output += String(bytes);
      });
    }
  }

  /** Kills it at once: it gets no chance to do anything more. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.kill();
    await ended;
  }
}
