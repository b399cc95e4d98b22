import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairGate } from './fair-gate.ts';

describe('the gate', () => {
  it('lets in as many as fit, and the rest in the order they came', () => {
    const gate = new FairGate<string>({ total: 2, perHost: 2 });
    const lane = gate.laneFor('a');
    expect(['1', '2', '3', '4'].map((item) => gate.enter(lane, item))).toEqual([true, true, false, false]);
    expect(gate.next()).toBeUndefined();
    gate.leave(lane);
    expect(gate.next()).toBe('3');
    expect(gate.next()).toBeUndefined();
  });

  it('keeps one host from taking it all', () => {
    const gate = new FairGate<string>({ total: 10, perHost: 2 });
    const bad = gate.laneFor('bad');
    const good = gate.laneFor('good');
    expect([1, 2, 3, 4].map((n) => gate.enter(bad, `bad ${n}`))).toEqual([true, true, false, false]);
    expect(gate.enter(good, 'good')).toBe(true);
  });

  it('lets hosts take turns when all must wait', () => {
    const gate = new FairGate<string>({ total: 1, perHost: 5 });
    const [a, b] = [gate.laneFor('a'), gate.laneFor('b')];
    gate.enter(a, 'a0');
    for (const item of ['a1', 'a2', 'a3']) gate.enter(a, item);
    for (const item of ['b1', 'b2']) gate.enter(b, item);
    const order: string[] = [];
    for (let lane = a; ; ) {
      gate.leave(lane);
      const next = gate.next();
      if (next === undefined) break;
      order.push(next);
      lane = next.startsWith('a') ? a : b;
    }
    expect(order).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
  });

  const limits = { total: 3, perHost: 2 };
  const hosts = [0, 1, 2, 3];

  /** Counts for itself who runs and who waits, by host. */
  class Counted {
    readonly #gate = new FairGate<number>(limits);
    readonly #lanes = hosts.map((host) => this.#gate.laneFor(String(host)));
    readonly running = hosts.map(() => 0);
    readonly waiting = hosts.map(() => 0);

    enter(host: number): void {
      const counts = this.#gate.enter(this.#laneOf(host), host) ? this.running : this.waiting;
      counts[host] = (counts[host] ?? 0) + 1;
    }

    leave(host: number): void {
      if (this.running[host] === 0) return;
      this.running[host] = (this.running[host] ?? 0) - 1;
      this.#gate.leave(this.#laneOf(host));
      for (let next = this.#gate.next(); next !== undefined; next = this.#gate.next()) {
        this.waiting[next] = (this.waiting[next] ?? 0) - 1;
        this.running[next] = (this.running[next] ?? 0) + 1;
      }
    }

    #laneOf(host: number) {
      const lane = this.#lanes[host];
      if (!lane) throw new Error(`no host ${host}`);
      return lane;
    }
  }

  it('never exceeds its limits, and leaves nobody waiting who could go', () => {
    const step = fc.tuple(fc.constantFrom('enter' as const, 'leave' as const), fc.constantFrom(...hosts));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const counted = new Counted();
        for (const [what, host] of steps) {
          counted[what](host);
          const total = counted.running.reduce((sum, n) => sum + n, 0);
          expect(total).toBeLessThanOrEqual(limits.total);
          expect(Math.max(...counted.running)).toBeLessThanOrEqual(limits.perHost);
          const couldGo = (i: number) => total < limits.total && (counted.running[i] ?? 0) < limits.perHost;
          for (const [i, waiting] of counted.waiting.entries()) expect(waiting > 0 && couldGo(i)).toBe(false);
        }
      }),
    );
  });
});
