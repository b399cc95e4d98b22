import { describe, expect, it } from 'vitest';
import { ManualClock } from './manual-clock.ts';

function clockWithDiary() {
  const clock = new ManualClock(Date.UTC(2030, 5, 1));
  const fired: string[] = [];
  const set = (name: string, milliseconds: number) =>
    clock.setTimeout(() => fired.push(`${name} at ${clock.now()}`), milliseconds);
  return { clock, fired, set };
}

describe('a manual clock', () => {
  it('stands still until it is moved', async () => {
    const { clock, fired, set } = clockWithDiary();
    set('a', 10);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(fired).toEqual([]);
    expect([clock.now(), clock.date(), clock.pending, clock.next]).toEqual([0, Date.UTC(2030, 5, 1), 1, 10]);
  });

  it('fires what is due in the order of its time, then of its setting', async () => {
    const { clock, fired, set } = clockWithDiary();
    set('c', 30_000);
    set('a', 10);
    set('b', 10);
    await clock.advance('30s');
    expect(fired).toEqual(['a at 10', 'b at 10', 'c at 30000']);
    expect(clock.now()).toBe(30_000);
  });

  it('fires what is set by what fires, if that is due too', async () => {
    const { clock, fired, set } = clockWithDiary();
    clock.setTimeout(() => set('later', 5), 10);
    await clock.advance(20);
    expect(fired).toEqual(['later at 15']);
  });

  it('lets promises go on between two timers', async () => {
    const { clock, fired, set } = clockWithDiary();
    clock.setTimeout(() => void Promise.resolve().then(() => set('between', 1)), 10);
    set('after', 12);
    await clock.advance(20);
    expect(fired).toEqual(['between at 11', 'after at 12']);
  });

  it('forgets a timer that was cleared', async () => {
    const { clock, fired, set } = clockWithDiary();
    clock.clearTimeout(set('a', 10));
    await clock.advance(20);
    expect([fired, clock.pending, clock.next]).toEqual([[], 0, undefined]);
  });

  it('keeps its pace when its date is set', async () => {
    const { clock, fired, set } = clockWithDiary();
    set('a', 1_000);
    clock.setDate(0);
    await clock.advance('1s');
    expect(fired).toEqual(['a at 1000']);
    expect(clock.date()).toBe(1_000);
  });

  it.each([-1, Number.NaN, 'soon', '3 s'])('refuses to be moved by %s', async (wrong) => {
    await expect(new ManualClock().advance(wrong)).rejects.toMatchObject({ code: 'KUR_TESTENV_OPTION' });
  });
});
