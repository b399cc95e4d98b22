/** How faults are remembered and healed, with makers that only take notes. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { faultKinds } from '../fault-request.ts';
import type { Fault } from './fault.ts';
import { createFaultInjector, type FaultInjector, type Makers } from './injector.ts';
import type { TargetCluster } from './target-cluster.ts';

const freeze = { kind: 'freeze', pod: 'web' } as const;

let notes: string[];
let behaviour: (fault: Fault) => Promise<void>;
let faults: FaultInjector;

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2030-01-01T00:00:00Z') });
  notes = [];
  behaviour = async (fault) => {
    for (const step of ['first', 'second']) fault.onHeal(async () => void notes.push(`${fault.id}: ${step} undone`));
  };
  const makers = Object.fromEntries(
    Object.keys(faultKinds).map((kind) => [kind, (_: unknown, fault: Fault) => behaviour(fault)]),
  );
  faults = createFaultInjector({} as TargetCluster, makers as unknown as Makers);
});

afterEach(() => {
  vi.useRealTimers();
});

describe('a fault', () => {
  it('is listed until it is healed, and undone newest step first', async () => {
    const record = await faults.inject({ ...freeze, for: '30s' });
    expect(record).toEqual({
      id: '1',
      kind: 'freeze',
      request: { ...freeze, for: '30s' },
      description: 'freezes pod default/web, for 30s',
      since: '2030-01-01T00:00:00.000Z',
      until: '2030-01-01T00:00:30.000Z',
    });
    expect(faults.list()).toEqual([record]);
    await faults.heal('1');
    expect(faults.list()).toEqual([]);
    expect(notes).toEqual(['1: second undone', '1: first undone']);
  });

  it('is undone once, however often it is healed', async () => {
    await faults.inject(freeze);
    await Promise.all([faults.heal('1'), faults.heal('1')]);
    await faults.heal('1');
    await faults.heal('no such fault');
    expect(notes).toHaveLength(2);
  });

  it('heals by itself when its time is up, and not again', async () => {
    await faults.inject({ ...freeze, for: '30s' });
    await vi.advanceTimersByTimeAsync(29_999);
    expect(faults.list()).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(faults.list()).toEqual([]);
    await faults.inject({ ...freeze, for: '30s' });
    await faults.heal('2');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(notes).toHaveLength(4);
  });

  it('that leaves nothing to undo is over at once', async () => {
    behaviour = async () => {};
    expect(await faults.inject({ kind: 'kill', pod: 'web' })).toMatchObject({ id: '1' });
    expect(faults.list()).toEqual([]);
  });

  it('that could only be made in part is undone, and its error is told', async () => {
    const whole = behaviour;
    behaviour = async (fault) => {
      await whole(fault);
      throw new Error('no third step');
    };
    await expect(faults.inject(freeze)).rejects.toThrow('no third step');
    expect(notes).toEqual(['1: second undone', '1: first undone']);
    expect(faults.list()).toEqual([]);
  });

  it('stays listed when it can not be undone, and only the rest is tried again', async () => {
    let broken = true;
    behaviour = async (fault) => {
      fault.onHeal(async () => void notes.push('first'));
      fault.onHeal(async () => {
        if (broken) throw new Error('busy');
        notes.push('second');
      });
      fault.onHeal(async () => void notes.push('third'));
    };
    await faults.inject(freeze);
    await expect(faults.heal('1')).rejects.toMatchObject({
      code: 'KUR_TESTENV_FAULT',
      message: 'fault 1 (freezes pod default/web) is not healed: busy',
    });
    expect(faults.list()).toHaveLength(1);
    broken = false;
    await faults.heal('1');
    expect(notes).toEqual(['third', 'first', 'second']);
    expect(faults.list()).toEqual([]);
  });

  it('that was neither made nor undone completely can be healed later', async () => {
    let broken = true;
    behaviour = async (fault) => {
      fault.onHeal(async () => {
        if (broken) throw new Error('busy');
      });
      throw new Error('not made');
    };
    await expect(faults.inject(freeze)).rejects.toThrow('not made');
    expect(faults.list()).toMatchObject([{ id: '1' }]);
    broken = false;
    await faults.heal('1');
    expect(faults.list()).toEqual([]);
  });
});

describe('several faults', () => {
  it('are healed together, newest first, also where one resists', async () => {
    const harmless = behaviour;
    await faults.inject(freeze);
    behaviour = async (fault) => fault.onHeal(() => Promise.reject(new Error('busy')));
    await faults.inject(freeze);
    behaviour = harmless;
    await faults.inject(freeze);
    await expect(faults.healAll()).rejects.toThrow('fault 2');
    expect(notes).toEqual(['3: second undone', '3: first undone', '1: second undone', '1: first undone']);
    expect(faults.list()).toMatchObject([{ id: '2' }]);
  });

  it.each([
    ['machine/n1', 'machine/n1', true],
    ['machine/n1', 'machine/n1/kubelet', true],
    ['machine/n1/kubelet', 'machine/n1', true],
    ['machine/n1/kubelet', 'machine/n1/containerd', false],
    ['machine/n1', 'machine/n11', false],
  ])('one has %s, the other wants %s: refused %s', async (first, second, refused) => {
    const claiming = (path: string) => async (fault: Fault) => {
      fault.claim(path);
      fault.onHeal(async () => {});
    };
    behaviour = claiming(first);
    await faults.inject(freeze);
    behaviour = claiming(second);
    const attempt = faults.inject(freeze);
    if (!refused) return void (await attempt);
    await expect(attempt).rejects.toMatchObject({
      code: 'KUR_TESTENV_FAULT_TAKEN',
      remedy: 'heal it first: kurator cluster fault heal 1',
    });
    await faults.heal('1');
    await faults.inject(freeze);
  });
});
