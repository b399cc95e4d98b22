/** The part of the contract that is about any sequence of calls: compared with a Map, and with one story for all clients. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ObjectStore, PutOptions } from '../../src/index.ts';
import { all, type ContractContext, text } from './contract-context.ts';
import { isLinearizable, type Operation } from './linearizable.ts';

const names = ['a', 'b', 'c/1', 'c/2', 'd'];
const name = fc.constantFrom(...names);
const value = fc.constantFrom('one', 'two', '');
const write = fc.oneof(
  fc.record({ kind: fc.constant('put' as const), name, value }),
  fc.record({ kind: fc.constant('create' as const), name, value }),
  fc.record({ kind: fc.constant('replace' as const), name, value, seen: value }),
);
const step = fc.oneof(
  write,
  fc.record({ kind: fc.constant('delete' as const), names: fc.subarray(names, { minLength: 1 }) }),
  fc.record({ kind: fc.constant('get' as const), name }),
  fc.record({ kind: fc.constant('list' as const), prefix: fc.constantFrom('', 'a', 'c', 'c/') }),
);
type Drawn<A> = A extends fc.Arbitrary<infer T> ? T : never;
type Write = Drawn<typeof write>;
type Step = Drawn<typeof step>;

const values = fc.constantFrom('one', 'two');
const act = fc.oneof(
  fc.record({ kind: fc.constant('put' as const), value: values }),
  fc.record({ kind: fc.constant('create' as const), value: values }),
  fc.record({ kind: fc.constant('replace' as const), value: values, seen: values }),
  fc.record({ kind: fc.constant('delete' as const) }),
  fc.record({ kind: fc.constant('get' as const) }),
);
type Act = Drawn<typeof act>;

/** The etag of a content: the same content has the same one. */
type EtagOf = (content: string) => string;

/** Histories. */
export function describeHistories(context: ContractContext): void {
  const etags = async (): Promise<EtagOf> => {
    const key = `${context.own()}etags`;
    const found = new Map<string, string>();
    for (const content of ['one', 'two', '']) found.set(content, (await context.store.put(key, text(content))).etag);
    return (content) => found.get(content) ?? '';
  };

  describe('histories', () => {
    it('are those of a Map', async () => {
      const etagOf = await etags();
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          const run = new ModelRun(context, etagOf);
          for (const one of steps) await run.take(one);
          await run.take({ kind: 'list', prefix: '' });
        }),
        { seed: 20_261_116, numRuns: 40 },
      );
    });

    it('of several clients at once are those of one object', async () => {
      const etagOf = await etags();
      const clients = [context.client(), context.client(), context.client()];
      const scripts = fc.array(fc.array(act, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 3 });
      await fc.assert(
        fc.asyncProperty(scripts, async (byClient) => {
          const key = `${context.own()}object`;
          let clock = 0;
          const history: Operation[] = [];
          const runScript = async (script: Act[], mine: ObjectStore) => {
            for (const asked of script) {
              const begin = clock++;
              const result = await perform(mine, key, asked, etagOf);
              history.push({ ...asked, begin, end: clock++, result });
            }
          };
          await Promise.all(byClient.map((script, i) => runScript(script, clients[i] ?? context.store)));
          expect(isLinearizable(history), JSON.stringify(history)).toBe(true);
        }),
        { seed: 20_261_117, numRuns: 60 },
      );
    });
  });
}

/** A store and a Map that are told the same. */
class ModelRun {
  readonly #context: ContractContext;
  readonly #etagOf: EtagOf;
  readonly #prefix: string;
  readonly #model = new Map<string, string>();

  constructor(context: ContractContext, etagOf: EtagOf) {
    this.#context = context;
    this.#etagOf = etagOf;
    this.#prefix = context.own();
  }

  async take(step: Step): Promise<void> {
    const { store } = this.#context;
    const model = this.#model;
    switch (step.kind) {
      case 'list': {
        const expected = [...model.keys()].filter((key) => key.startsWith(step.prefix)).sort();
        const { keys } = await all(store.list(this.#key(step.prefix), { pageSize: 2 }));
        expect(keys).toEqual(expected.map((key) => this.#key(key)));
        return;
      }
      case 'delete':
        await store.deleteMany(step.names.map((key) => this.#key(key)));
        for (const key of step.names) model.delete(key);
        return;
      case 'get': {
        const got = await this.#context.read(this.#key(step.name)).then(String, (error) => error.code);
        expect(got).toBe(model.get(step.name) ?? 'KUR_STORE_NOT_FOUND');
        return;
      }
      default:
        await this.#write(step);
    }
  }

  async #write(step: Write): Promise<void> {
    const present = this.#model.get(step.name);
    const refused = {
      put: undefined,
      create: present === undefined ? undefined : 'KUR_STORE_EXISTS',
      replace: step.kind === 'replace' && present === step.seen ? undefined : 'KUR_STORE_CHANGED',
    }[step.kind];
    const putting = this.#context.store.put(this.#key(step.name), text(step.value), conditionOf(step, this.#etagOf));
    expect(await outcomeOf(putting)).toBe(refused ?? 'done');
    if (refused === undefined) this.#model.set(step.name, step.value);
  }

  #key(name: string): string {
    return `${this.#prefix}${name}`;
  }
}

async function perform(store: ObjectStore, key: string, asked: Act, etagOf: EtagOf): Promise<string> {
  if (asked.kind === 'delete') return await outcomeOf(store.delete(key));
  if (asked.kind !== 'get') return await outcomeOf(store.put(key, text(asked.value), conditionOf(asked, etagOf)));
  const reading = store.get(key).then(async (object) => await object.bytes());
  return await reading.then(String, (error) => error.code);
}

function conditionOf(asked: { kind: 'put' | 'create' | 'replace'; seen?: string }, etagOf: EtagOf): PutOptions {
  if (asked.kind === 'create') return { ifAbsent: true };
  return asked.kind === 'replace' ? { ifMatch: etagOf(asked.seen ?? '') } : {};
}

async function outcomeOf(work: Promise<unknown>): Promise<string> {
  return await work.then(
    () => 'done',
    (error) => error.code ?? String(error),
  );
}
