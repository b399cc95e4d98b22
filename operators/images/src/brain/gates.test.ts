import { describe, expect, it } from 'vitest';
import { type Gates, gateProblems, immature, outOfTime, unapproved } from './gates.ts';

const open: Gates = { maturity: 0, timeZone: 'UTC', windows: [], freezes: [], approval: 'Automatic' };
const time = (text: string) => Date.parse(text);
const HOUR = 3_600_000;

describe('gates', () => {
  it('let an image mature, from when it was first seen', () => {
    const gates = { ...open, maturity: 24 * HOUR };
    const seen = time('2026-11-19T10:00:00Z');
    expect(immature(gates, seen, seen + HOUR)).toEqual({
      why: 'it matures until 2026-11-20T10:00:00Z',
      until: time('2026-11-20T10:00:00Z'),
    });
    expect(immature(gates, seen, seen + 24 * HOUR)).toBeUndefined();
  });

  it('open at office hours of their own time zone, in winter and in summer', () => {
    const gates = { ...open, timeZone: 'Europe/Berlin', windows: [{ schedule: '0 9 * * 1-5', duration: 8 * HOUR }] };
    const isOpen = (text: string) => outOfTime(gates, time(text)) === undefined;
    // A Thursday in winter: 9:00 is 8:00 in UTC; in July it is 7:00.
    expect(
      ['2026-11-19T07:59:59Z', '2026-11-19T08:00:00Z', '2026-11-19T15:59:59Z', '2026-11-19T16:00:00Z'].map(isOpen),
    ).toEqual([false, true, true, false]);
    expect(['2026-07-16T07:00:00Z', '2026-07-16T15:00:00Z'].map(isOpen)).toEqual([true, false]);
    // A Saturday waits for Monday.
    expect(outOfTime(gates, time('2026-11-21T10:00:00Z'))?.until).toBe(time('2026-11-23T08:00:00Z'));
  });

  it('stay closed in a freeze, whatever the window says', () => {
    const freezes = [{ from: time('2026-12-20T00:00:00Z'), to: time('2027-01-04T00:00:00Z') }];
    const gates = { ...open, windows: [{ schedule: '* * * * *', duration: HOUR }], freezes };
    expect(outOfTime(gates, time('2026-12-24T18:00:00Z'))?.until).toBe(freezes[0]?.to);
    expect(outOfTime(gates, time('2027-01-04T00:00:00Z'))).toBeUndefined();
  });

  it('wait for somebody who approves of this very image', () => {
    const gates: Gates = { ...open, approval: 'Manual' };
    expect(unapproved(gates, undefined, 'sha256:a')?.why).toContain('delivery.kurator.sh/approve=sha256:a');
    expect(unapproved(gates, 'sha256:b', 'sha256:a')).toBeDefined();
    expect(unapproved(gates, 'sha256:a', 'sha256:a')).toBeUndefined();
    expect(unapproved(open, undefined, 'sha256:a')).toBeUndefined();
  });

  it('are refused with the field and the way out', () => {
    const wrong = {
      ...open,
      timeZone: 'Mars/Olympus',
      windows: [{ schedule: '0 25 * * *', duration: HOUR }],
      freezes: [{ from: 2, to: 1 }],
    };
    const [zone, schedule, freeze] = gateProblems(wrong);
    expect(zone).toMatch(/spec.gates.timeZone: .*Europe\/Berlin/);
    expect(schedule).toMatch(/spec.gates.windows\[0\].schedule: .*0 9 \* \* 1-5/);
    expect(freeze).toMatch(/spec.gates.freezes\[0\]: .*after from/);
    expect(gateProblems(open)).toEqual([]);
  });
});
