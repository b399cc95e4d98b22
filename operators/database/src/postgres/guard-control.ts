/** The brain's side of what it and the guard tell each other by files: see guard.ts. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What the guard last said. */
export interface GuardState {
  /** When it said that, in milliseconds of {@link uptime}. */
  readonly saidAt: number;
  /** Another one for each start of the container. */
  readonly boot: string;
  readonly isRunning: boolean;
  /** With which code postgres ended; undefined while it runs, and before it ever did. */
  readonly ended: number | undefined;
  readonly order: number;
  readonly job: number;
  /** With which code the last job ended. */
  readonly jobResult: number | undefined;
}

export type Order = 'run' | 'fast' | 'immediate';

/** Since the machine was started, in milliseconds: guard and brain are in two containers, and see the same. No clock that anybody sets. */
export async function uptime(): Promise<number> {
  const [seconds = ''] = (await readFile('/proc/uptime', 'utf8')).split(' ', 1);
  return Math.round(Number(seconds) * 1000);
}

/** How long ago the guard may have last said something, and still be there: it speaks ten times a second. */
export const SILENCE = 3000;

export class GuardControl {
  readonly #folder: string;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Undefined before it has said anything. */
  async state(): Promise<GuardState | undefined> {
    // It is written in place: a reader may come upon half a line.
    for (let tries = 0; tries < 5; tries++) {
      const text = await this.#read('state');
      const state = text?.endsWith('\n') ? parseState(text) : undefined;
      if (state || text === undefined) return state;
    }
    return undefined;
  }

  /** Until when postgres may run, in milliseconds of {@link uptime}; undefined: for ever, as a standby may. */
  async setDeadline(until: number | undefined): Promise<void> {
    await this.#write('deadline', until === undefined ? 'none' : String(Math.floor(until / 10)));
  }

  /** Carried out once, within a fifth of a second. */
  async order(what: Order): Promise<void> {
    const [last = '0'] = (await this.#read('order'))?.split(' ') ?? [];
    await this.#write('order', `${Number(last) + 1} ${what}`);
  }

  /** Has a script run beside a postgres that is stopped. Its number says in the state whether it has ended. */
  async startJob(script: string): Promise<number> {
    const number = Number((await this.#read('job')) ?? 0) + 1;
    await this.#write('job.sh', script);
    await this.#write('job', String(number));
    return number;
  }

  /** The end of what the last job has written. */
  async jobLog(): Promise<string> {
    return ((await this.#read('job.log')) ?? '').trim().slice(-1000);
  }

  async #read(name: string): Promise<string | undefined> {
    return await readFile(join(this.#folder, name), 'utf8').catch((error) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
  }

  /** By a rename: whoever reads sees all of it, or what was there before. */
  async #write(name: string, text: string): Promise<void> {
    const path = join(this.#folder, name);
    // One after the other: what was said last is what holds.
    const turn = this.#turn.then(async () => {
      await writeFile(`${path}.new`, `${text}\n`);
      await rename(`${path}.new`, path);
    });
    this.#turn = turn.catch(() => undefined);
    await turn;
  }
}

function parseState(text: string): GuardState | undefined {
  const [time, boot, pid, ended, order, job, result] = text.trim().split(' ');
  if (time === undefined || boot === undefined || result === undefined) return undefined;
  const numberIn = (field: string | undefined) => (field === undefined || field === '-' ? undefined : Number(field));
  return {
    saidAt: Number(time) * 10,
    boot,
    isRunning: pid !== '-',
    ended: numberIn(ended),
    order: Number(order),
    job: Number(job),
    jobResult: numberIn(result),
  };
}
