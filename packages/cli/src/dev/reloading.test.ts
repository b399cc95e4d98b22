import { describe, expect, it, vi } from 'vitest';
import { Reloading } from './reloading.ts';
import type { Runner } from './runner.ts';

/** Runners that only note what is asked of them; `broken` ones can't be loaded. */
function workshop(broken: readonly number[] = []) {
  const done: string[] = [];
  let made = 0;
  const create = async (): Promise<Runner> => {
    const number = ++made;
    const act = (what: string) => async () => {
      done.push(`${what} ${number}`);
      if (what === 'load' && broken.includes(number)) throw new Error('a mistake');
    };
    const load = async () => {
      await act('load')();
      return { name: 'web', crds: [] };
    };
    return { load, start: act('start'), stop: act('stop') };
  };
  const said: string[] = [];
  const settings = async () => ({ webhookPort: 1, verbose: false, identity: 'me', leaseNamespace: 'default' });
  const say = (text: string) => void said.push(text);
  return { done, said, create, settings, say, reloading: new Reloading({ settings, create, say }) };
}

describe('reloading', () => {
  it('loads the next before it stops the one at work, and never lets two work', async () => {
    const { done, reloading } = workshop();
    await reloading.start();
    await reloading.changed('a.ts');
    expect(done).toEqual(['load 1', 'start 1', 'load 2', 'stop 1', 'start 2']);
  });

  it('lets the earlier one go on where the next can not be loaded', async () => {
    const { done, said, reloading } = workshop([2]);
    await reloading.start();
    await reloading.changed('a.ts');
    expect(done).toEqual(['load 1', 'start 1', 'load 2', 'stop 2']);
    expect(said[0]).toContain('what ran before goes on:\na mistake');
    await reloading.changed('a.ts');
    expect(done.slice(4)).toEqual(['load 3', 'stop 1', 'start 3']);
  });

  it('takes changes that come together as one', async () => {
    const { done, reloading } = workshop();
    await reloading.start();
    await Promise.all([reloading.changed('a.ts'), reloading.changed('b.ts')]);
    expect(done.filter((act) => act.startsWith('start'))).toEqual(['start 1', 'start 2']);
  });

  it('takes a change that comes before it is up when it is up', async () => {
    const { done, reloading } = workshop();
    const started = reloading.start();
    await reloading.changed('a.ts');
    await started;
    expect(done).toEqual(['load 1', 'start 1', 'load 2', 'stop 1', 'start 2']);
  });

  it('stops all that there is', async () => {
    const { done, reloading } = workshop();
    await reloading.start();
    await reloading.stop();
    expect(done.slice(2).toSorted()).toEqual(['stop 1', 'stop 2']);
  });

  it('stops what is still starting', async () => {
    const { done, said, create, settings, say } = workshop();
    const stopped = Promise.withResolvers<void>();
    const hanging = async (): Promise<Runner> => ({
      ...(await create()),
      start: () => stopped.promise.then(() => Promise.reject(new Error('it ended'))),
      stop: async () => stopped.resolve(),
    });
    const reloading = new Reloading({ settings, create: hanging, say });
    const started = reloading.start();
    await vi.waitFor(() => expect(done).toEqual(['load 1']), 20_000);
    await reloading.stop();
    await expect(started).rejects.toThrow('it ended');
    expect(said).toEqual([]);
  });

  it('starts nothing any more once it is to stop', async () => {
    const { done, reloading } = workshop();
    const started = reloading.start();
    await reloading.stop();
    await started;
    await reloading.changed('a.ts');
    expect(done).toEqual(['load 1', 'stop 1']);
  });
});
