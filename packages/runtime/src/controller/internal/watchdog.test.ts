import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { Watchdog } from './watchdog.ts';

function setUp() {
  const clock = new ManualClock();
  const told: string[] = [];
  const watchdog = new Watchdog<{ name: string; startedAt: number }>({
    clock,
    timeout: 100,
    grace: 50,
    onTimeout: ({ name }) => told.push(`${name} timed out at ${clock.now()}`),
    onStuck: ({ name }) => told.push(`${name} stuck at ${clock.now()}`),
  });
  const start = (name: string) => {
    const run = { name, startedAt: clock.now() };
    watchdog.start(run);
    return run;
  };
  return { clock, told, watchdog, start };
}

describe('Watchdog', () => {
  it('tells each run when its time is up, and when it ignored that', async () => {
    const { clock, told, start } = setUp();
    start('a');
    await clock.advance(20);
    start('b');
    await clock.advance(500);
    expect(told).toEqual(['a timed out at 100', 'b timed out at 120', 'a stuck at 150', 'b stuck at 170']);
    expect(clock.pending).toBe(0);
  });

  it('says nothing of runs that end in time, before or after they were told', async () => {
    const { clock, told, watchdog, start } = setUp();
    const quick = start('quick');
    const late = start('late');
    watchdog.end(quick);
    await clock.advance(120);
    watchdog.end(late);
    await clock.advance(500);
    expect(told).toEqual(['late timed out at 100']);
  });

  it('needs one timer for any number of runs, and none of its own for those that end', async () => {
    const { clock, watchdog, start } = setUp();
    for (let i = 0; i < 1000; i++) watchdog.end(start(`r${i}`));
    start('last');
    expect(clock.pending).toBe(1);
    watchdog.stop();
    expect(clock.pending).toBe(0);
  });
});
