import { describe, expect, it } from 'vitest';
import { eventually } from './eventually.ts';

const often = { interval: 1 };
const quick = { ...often, timeout: 60 };
/** Long enough for several looks on a busy machine. */
const patient = { ...often, timeout: 600 };
const messageOf = async (waiting: Promise<unknown>): Promise<string> =>
  await waiting.then(
    () => 'it came about',
    (error: Error) => error.message,
  );

describe('eventually', () => {
  it('gives what the first good look gave', async () => {
    let looks = 0;
    const found = await eventually(() => {
      looks++;
      expect(looks).toBeGreaterThan(3);
      return { looks };
    });
    expect(found).toEqual({ looks: 4 });
  });

  it('takes a look without a result for a good one, and false for a bad one', async () => {
    const answers = [false, false, undefined];
    await eventually(() => answers.shift(), often);
    expect(answers).toEqual([]);
  });

  it('is satisfied when it is told to be', async () => {
    let replicas = 0;
    expect(await eventually(() => replicas++, { ...often, until: (value) => value > 2 })).toBe(3);
  });

  it('tells the last error, and what was seen before it', async () => {
    let looks = 0;
    const waiting = eventually(() => {
      looks++;
      if (looks === 1) throw new Error('deployments.apps "web" not found');
      throw new Error(looks < 4 ? 'it has 0 replicas' : 'it has 2 replicas');
    }, patient);
    const message = await messageOf(waiting);
    expect(message).toContain('it did not come about within 600ms');
    expect(message).toMatch(/last seen, since \d+\.\d s \(\d+ looks\): it has 2 replicas/);
    expect(message.split('\n').slice(2)).toEqual([
      expect.stringMatching(/before, since .*: it has 0 replicas/),
      expect.stringMatching(/before, since .*: deployments.apps "web" not found/),
    ]);
  });

  it('lets the test runner draw the difference', async () => {
    const waiting = eventually(() => expect({ replicas: 2 }).toEqual({ replicas: 3 }), quick);
    await expect(waiting).rejects.toMatchObject({
      code: 'KUR_TESTENV_TIMEOUT',
      actual: { replicas: 2 },
      expected: { replicas: 3 },
      cause: expect.any(Error),
    });
  });

  it('tells the last value, in the words it was given', async () => {
    const options = { ...quick, until: () => false, description: 'three replicas' };
    const message = await messageOf(eventually(() => ({ status: { replicas: 2 } }), options));
    expect(message).toContain('waited 60ms for three replicas, in vain');
    expect(message).toContain('it gave { status: { replicas: 2 } }');
  });

  it('names a look that never ends, and tells it that the time is up', async () => {
    let told = false;
    const look = (signal: AbortSignal) =>
      new Promise<never>(() => signal.addEventListener('abort', () => (told = true)));
    expect(await messageOf(eventually(look, quick))).toMatch(/no look has ended\nthe last look.* did not end/);
    expect(told).toBe(true);
  });

  it('does not let the end of the time hide what was seen', async () => {
    let looks = 0;
    const message = await messageOf(
      eventually(async (signal) => {
        if (looks++ === 0) throw new Error('the real reason');
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      }, quick),
    );
    expect(message).toMatch(/last seen.*: the real reason/);
  });

  it('points to where it was called', async () => {
    const error = await eventually(() => false, quick).catch((caught: Error) => caught);
    expect((error as Error).stack).toContain('eventually.test.ts');
  });

  it('ends with the reason of its signal', async () => {
    const end = new AbortController();
    const waiting = eventually(() => false, { signal: end.signal });
    end.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });

  it('refuses a timeout that is none', async () => {
    await expect(eventually(() => true, { timeout: 'soon' })).rejects.toMatchObject({ code: 'KUR_TESTENV_OPTION' });
  });
});
