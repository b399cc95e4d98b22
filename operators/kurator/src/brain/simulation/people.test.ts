/** What a person, a dependant or somebody else's change has to say about a repair. */
import { describe, expect, it } from 'vitest';
import type { Action, Incident } from '../incident/incident.ts';
import type { WorkloadObservation } from '../observation.ts';
import { clusterDefaults, type ServiceInput } from '../spec-defaults.ts';
import { type Thought, type ThoughtInput, think } from '../think.ts';
import { hour, minute, second } from '../time.ts';
import { beginning, type Run } from './simulate.ts';
import { at, doneTo, happens, historyOf, http, P, service, story, toldAbout } from './story.ts';

describe('story 10: coordination', () => {
  const specs = (coordination: ServiceInput['coordination']) => [
    service({ name: 'db', coordination: { deadline: 30 * second, ...coordination } }),
    service({ name: 'mute', dependsOn: ['db'] }),
    service({ name: 'loath', dependsOn: ['db'] }),
  ];
  const hooks = [happens('answer', 1, -minute, 1), happens('answer', 1, -minute, 2)];
  const refusal = happens('answer', 3, 45 * second, 2);
  const told = (run: Run) => historyOf(run, 'db').incident ?? historyOf(run, 'db').closed[0];

  it('waits for one that never answers until the deadline, then goes on by the policy', () => {
    const run = story([...hooks, happens('allIll', 'hang')], { specs: specs({ onSilence: 'proceed' }) });
    const { closed, repairs } = historyOf(run, 'db');
    const waited = (repairs[0] ?? 0) - (closed[0]?.confirmedAt ?? 0);
    expect(waited).toBeGreaterThanOrEqual(30 * second);
    expect(waited).toBeLessThanOrEqual(30 * second + P);
  });

  it('calls a person when one refuses, and that is the policy', () => {
    const patient = specs({ onRefusal: 'handOver', deadline: 5 * minute });
    const run = story([...hooks, happens('curse', 'hang'), refusal], { specs: patient });
    expect(told(run)).toMatchObject({ stage: 'handedOver' });
    expect(historyOf(run, 'db').repairs).toEqual([]);
  });

  it.each([
    ['was silent', []],
    ['has refused', [refusal]],
  ])('does not wait for one that %s and has no say any more', (_, events) => {
    const patient = specs({ onSilence: 'handOver', onRefusal: 'handOver', deadline: 5 * minute });
    const left = beginning + at + 45 * second;
    const run = story([happens('answer', 1, -minute, 2), happens('allIll', 'hang'), ...events], {
      specs: patient,
      brain: (input) => {
        const isLeft = input.now >= left && input.spec.name === 'db';
        const dependants = isLeft ? [{ name: 'mute', answers: false }] : input.seen.dependants;
        return think({ ...input, seen: { ...input.seen, dependants } });
      },
    });
    expect(historyOf(run, 'db').closed).toMatchObject([{ cause: 'hang', end: 'recovered' }]);
    expect((historyOf(run, 'db').repairs[0] ?? 0) - left).toBeLessThanOrEqual(P);
  });

  it('yields within a period to a person who deploys in the middle, and overwrites nothing', () => {
    const written = 40 * second;
    const run = story([happens('curse', 'hang'), happens('goodDeploy', 0, written)]);
    const { transitions } = historyOf(run).incident as Incident;
    const yielded = transitions.find(({ to }) => to === 'yielded');
    expect((yielded?.at ?? 0) - (beginning + at + written)).toBeLessThanOrEqual(P);
    expect(run.world.services.get('web')?.revision).toBe('r2');
    const next = transitions.find(({ at: time, to }) => to === 'repairing' && time > (yielded?.at ?? 0));
    expect((next?.at ?? Number.POSITIVE_INFINITY) - (yielded?.at ?? 0)).toBeGreaterThanOrEqual(minute);
  });
});

describe('the cluster’s switch', () => {
  it.each(['switchOff', 'switchObserve'] as const)('does nothing after %s, and goes on once it is on', (name) => {
    const before = [happens(name, 0, -minute), happens('allIll', 'hang')];
    const run = story(before, { length: at + 8 * minute });
    expect(doneTo(run)).toEqual([]);
    expect(historyOf(run).incident?.confirmedAt).toBeDefined();
    const after = story([...before, happens('switchOn', 0, 8 * minute)]);
    expect(historyOf(after).closed).toHaveLength(1);
    expect(doneTo(after).length).toBeGreaterThan(0);
  });

  it('says while it observes what it would do, and asks nobody to approve it', () => {
    const specs = [service({ recovery: { steps: { replace: { approval: true } } } })];
    const run = story([happens('switchObserve'), happens('ill', 'hang')], { specs, length: at + 2 * hour });
    const lines = toldAbout(run).filter((line) => line.startsWith('would be repaired: would replace web-'));
    expect(lines).toEqual([expect.stringContaining('now; Kurator only observes in this cluster')]);
    expect(historyOf(run).incident?.stage).toBe('proposed');
  });

  it('begins nothing more in the middle of a repair, keeps what was done on record, and calls nobody for it', () => {
    const ill = happens('allIll', 'hang');
    const undisturbed = story([ill]);
    const waves = doneTo(undisturbed);
    expect(waves.length).toBeGreaterThan(1);
    const [firstAt = 0] = historyOf(undisturbed).repairs;
    const run = story([ill, happens('switchOff', 0, firstAt - beginning - at + 2 * second)]);
    expect(doneTo(run)).toEqual(waves.slice(0, 1));
    const { incident } = historyOf(run);
    expect(incident?.hold).toMatchObject({ by: 'switch', reason: 'Kurator is switched off in the whole cluster' });
    expect(incident?.attempts.flatMap(({ actions }) => actions)).toMatchObject([{ outcome: { result: 'done' } }]);
    expect(incident?.transitions.map(({ to }) => to)).not.toContain('handedOver');
  });
});

describe('paused, dry run, maintenance', () => {
  it.each(['pause', 'dryRun', 'maintenance'] as const)('does nothing under %s, and goes on after it', (name) => {
    const run = story([happens(name, 9, -minute), happens('allIll', 'hang')], { length: at + 8 * minute });
    expect(doneTo(run)).toEqual([]);
    expect(historyOf(run).incident?.confirmedAt).toBeDefined();
    const after = story([happens(name, 9, -minute), happens('allIll', 'hang'), happens('unpause', 0, 8 * minute)]);
    expect(historyOf(after).closed).toHaveLength(1);
    expect(doneTo(after).length).toBeGreaterThan(0);
  });

  it('says in a dry run what it would do', () => {
    const run = story([happens('dryRun'), happens('ill', 'hang')]);
    expect(toldAbout(run).some((line) => line.startsWith('would be repaired: would replace web-'))).toBe(true);
  });

  it('tells nobody in maintenance, and keeps the record', () => {
    const run = story([happens('maintenance', 9, -minute), happens('ill', 'hang')], { length: at + 5 * minute });
    expect(run.operator.records.notifications.length).toBeGreaterThan(0);
    expect(run.operator.records.notifications.every(({ silenced }) => silenced === 'maintenance')).toBe(true);
  });
});

describe('what can not go on', () => {
  it('is closed with its reason when its target is gone, and one that comes back begins anew', () => {
    const ends = [happens('curse', 'hang'), happens('deleteTarget', 0, 2 * minute)];
    const run = story(ends, { length: at + 5 * minute });
    expect(historyOf(run)).toMatchObject({ closed: [{ end: 'withdrawn', cause: 'hang' }] });
    expect(historyOf(run).incident).toBeUndefined();
    expect(toldAbout(run).at(-1)).toBe('is not looked after any more: its workload is gone');
    const again = [happens('recreateTarget', 1, 6 * minute), happens('heal', 0, 6.1 * minute)];
    const later = story([...ends, ...again, happens('ill', 'hang', 12 * minute)]);
    expect(historyOf(later).closed.map(({ end }) => end)).toEqual(['withdrawn', 'recovered']);
  });

  it('is a person’s when its spec can not be followed, and goes on when it can', () => {
    const spoiled = [happens('allIll', 'hang'), happens('spoilSpec', 0, 30 * second)];
    const run = story(spoiled, { length: at + 5 * minute });
    expect(historyOf(run).incident).toMatchObject({ stage: 'handedOver' });
    const mended = story([...spoiled, happens('mendSpec', 0, 5 * minute)]);
    expect(historyOf(mended).closed).toMatchObject([{ end: 'recovered' }]);
  });
});

describe('a suspicion that is neither confirmed nor dismissed', () => {
  it.each([
    ['of a kubelet that is dead while its pod still answers', [happens('nodeMute', 1)]],
    ['that nobody looks into any more', [happens('ill', 'hang'), happens('blindChecker', 0, 8 * second)]],
  ])('%s is told to a person, and nothing is done about it', (_, events) => {
    const run = story(events, { specs: [service({ stateful: true })], length: at + 40 * minute });
    expect(doneTo(run)).toEqual([]);
    expect(historyOf(run).incident).toMatchObject({ stage: 'handedOver', diagnosis: { cause: 'unknown' } });
    expect(run.operator.records.notifications.at(-1)).toMatchObject({ severity: 'page' });
  });

  it('of one that was well again and can not be seen since, is told as well', () => {
    const run = story([happens('ill', 'crash'), happens('blindChecker', 0, minute)], { length: at + 50 * minute });
    const stages = historyOf(run).incident?.transitions.map(({ to }) => to);
    expect(stages?.slice(-3)).toEqual(['recovered', 'confirmed', 'handedOver']);
  });

  it('is none where it is seen to be well in between', () => {
    const blinks = Array.from({ length: 80 }, (_, index) =>
      happens(index % 2 ? 'heal' : 'curse', 'wrong', index * 15 * second),
    );
    const run = story(blinks, { specs: [service({ checks: [{ ...http, failAfter: 9 }] })], length: at + 30 * minute });
    expect(run.operator.records.notifications.map(({ severity }) => severity)).not.toContain('warning');
  });
});

describe('a service that waits for what it depends on', () => {
  const specs = [service({ name: 'db' }), service({ dependsOn: ['db'] })];
  const pages = (run: Run) =>
    run.operator.records.notifications.filter(({ severity }) => severity === 'page').map(({ service: name }) => name);
  const broken = happens('curse', 'wrong', 0, 1);

  it('calls a person itself where nobody is at that: it is only a dry run, and serves', () => {
    const run = story([happens('dryRun'), happens('ill', 'wrong'), broken], { specs, length: at + 25 * minute });
    expect(historyOf(run, 'db').incident?.stage).toBe('proposed');
    expect(historyOf(run)).toMatchObject({ repairs: [], incident: { stage: 'handedOver' } });
    expect(pages(run)).toEqual(['web']);
  });

  it('calls a person itself where that has only a check that may be wrong', () => {
    const run = story([happens('editChecks'), broken], { specs, length: at + 25 * minute });
    expect(historyOf(run, 'db').incident).toMatchObject({
      stage: 'handedOver',
      diagnosis: { cause: 'unproven-check' },
    });
    expect(historyOf(run)).toMatchObject({ repairs: [], incident: { stage: 'handedOver' } });
  });

  it('leaves the call to that where one was made, however long it lasts', () => {
    const run = story([happens('curse', 'hang')], { specs, length: at + 2 * hour });
    expect(historyOf(run).incident?.stage).toBe('waitingForDependency');
    expect(new Set(pages(run))).toEqual(new Set(['db']));
  });
});

describe('stateful', () => {
  const specs = [service({ stateful: true })];

  it('starts nobody a second time while their node is only unreachable', () => {
    const run = story([happens('nodeSilent', 1)], { specs });
    expect(doneTo(run)).toEqual([]);
    expect(historyOf(run).incident).toMatchObject({ stage: 'handedOver' });
  });

  it('moves them when the node is gone, or when it was told to', () => {
    expect(doneTo(story([happens('nodeGone', 1)], { specs }))).toHaveLength(1);
    const told = [service({ stateful: true, recovery: { moveWhenUnreachable: true } })];
    expect(doneTo(story([happens('nodeSilent', 1)], { specs: told }))).toHaveLength(1);
    expect(doneTo(story([happens('nodeSilent', 1)]))).toHaveLength(1);
  });

  it.each([
    ['a person agreed only then', { steps: { replace: { approval: true } } }, [happens('approve', 0, 10 * minute)]],
    ['a person had it paused until then', {}, [happens('pause'), happens('unpause', 0, 10 * minute)]],
  ])('moves one that Kubernetes has told to end, and that never will: %s', (_, given, events) => {
    const moving = [service({ stateful: true, recovery: { moveWhenUnreachable: true, ...given } })];
    const run = story([...events, happens('nodeSilent', 1)], { specs: moving, length: at + 25 * minute });
    expect(doneTo(run).length).toBeGreaterThan(0);
    expect(historyOf(run).closed).toMatchObject([{ cause: 'node-unreachable', end: 'recovered' }]);
    expect(run.moments.at(-1)?.serving.get('web')).toBe(3);
  });

  it('calls a person for one that Kubernetes has told to end, where it must not run twice', () => {
    const slow = [service({ stateful: true, recovery: { nodeGrace: 10 * minute } })];
    const run = story([happens('nodeSilent', 1)], { specs: slow, length: at + 40 * minute });
    expect(doneTo(run)).toEqual([]);
    expect(historyOf(run).incident).toMatchObject({ stage: 'handedOver', diagnosis: { cause: 'node-unreachable' } });
  });

  it('replaces one at a time', () => {
    const evicted: Action[] = [];
    story([happens('allIll', 'hang')], {
      specs: [service({ stateful: true, recovery: { maxUnavailable: 3 } })],
      brain: (input) => {
        const thought = think(input);
        evicted.push(...thought.actions);
        return thought;
      },
    });
    expect(evicted.length).toBeGreaterThanOrEqual(3);
    expect(evicted.every(({ targets }) => targets.length === 1)).toBe(true);
  });
});

describe('a person’s word', () => {
  const specs = [service({ recovery: { steps: { replace: { approval: true } } } })];

  it('is waited for where a step needs it, and is enough', () => {
    const run = story([happens('ill', 'hang'), happens('approve', 0, 5 * minute)], { specs });
    expect(historyOf(run).repairs).toEqual([beginning + at + 5 * minute]);
    expect(historyOf(run).closed).toMatchObject([{ cause: 'hang', end: 'recovered' }]);
  });

  it('that never comes hands it over', () => {
    const run = story([happens('ill', 'hang')], { specs, length: at + 40 * minute });
    expect(doneTo(run)).toEqual([]);
    expect(historyOf(run).incident?.stage).toBe('handedOver');
    expect(toldAbout(run).at(-1)).toContain('nobody approved replace within 30 min');
  });

  it('gives back what was handed over, and it is tried afresh', () => {
    const cursed = story([happens('curse', 'hang')], { length: at + 10 * minute });
    expect(historyOf(cursed).incident?.stage).toBe('handedOver');
    const run = story([happens('curse', 'hang'), happens('heal', 0, 9.9 * minute), happens('resume', 0, 10 * minute)]);
    expect(historyOf(run).closed).toHaveLength(1);
    const again = story([happens('curse', 'hang'), happens('resume', 0, 10 * minute)], { length: at + 20 * minute });
    expect(historyOf(again).repairs.length).toBeGreaterThan(historyOf(cursed).repairs.length);
    expect(historyOf(again).incident).toMatchObject({ stage: 'handedOver', resumed: 1 });
  });
});

describe('somebody else’s rules', () => {
  /** A brain that sees the workload in another way. */
  const seeing =
    (change: Partial<WorkloadObservation>) =>
    (input: ThoughtInput): Thought =>
      think({ ...input, seen: { ...input.seen, workload: { ...input.seen.workload, ...change } } });

  it('are kept: a PodDisruptionBudget that allows nothing', () => {
    const run = story([happens('ill', 'hang')], { brain: seeing({ disruptionsAllowed: 0 }) });
    expect(doneTo(run)).toEqual([]);
    expect(historyOf(run).incident?.stage).toBe('handedOver');
    expect(toldAbout(run).at(-1)).toContain('a PodDisruptionBudget allows no more than 0');
  });

  it('are kept: a workload that somebody has paused, and a person is called once if it lasts', () => {
    const run = story([happens('ill', 'hang')], { brain: seeing({ paused: true }), length: hour });
    expect(doneTo(run)).toEqual([]);
    expect(historyOf(run).incident).toMatchObject({ stage: 'confirmed', hold: { by: 'workload' } });
    const calls = run.operator.records.notifications.filter(({ severity }) => severity === 'page');
    expect(calls.map(({ lines }) => lines)).toEqual([['held up for 15 min: somebody has paused the workload']]);
  });

  it('are kept: a PodDisruptionBudget that refuses costs no try, and a person is called if it lasts', () => {
    const specs = [service({ recovery: { steps: { replace: { tries: 1 } } } })];
    const ill = [happens('protect'), happens('ill', 'hang')];
    const run = story([...ill, happens('unprotect', 0, 6 * minute)], { specs });
    expect(historyOf(run).closed).toMatchObject([{ cause: 'hang', end: 'recovered' }]);
    expect(historyOf(run).repairs).toHaveLength(1);
    const refused = story(ill, { specs });
    expect(historyOf(refused)).toMatchObject({ repairs: [], incident: { stage: 'handedOver' } });
    expect(toldAbout(refused).at(-1)).toContain('held up for too long: it was refused');
  });

  it('are kept: a PodDisruptionBudget that lets one of two go, and the other has its turn in the same try', () => {
    const specs = [service({ recovery: { maxUnavailable: 2, minHealthy: 1, steps: { replace: { tries: 1 } } } })];
    const run = story([happens('protectOthers'), happens('someIll', 'hang')], { specs });
    expect(historyOf(run)).toMatchObject({ closed: [{ cause: 'hang', end: 'recovered' }] });
    expect(historyOf(run).repairs).toHaveLength(1);
    expect(doneTo(run)).toEqual(['web#1/1.1', 'web#1/1.2']);
  });

  it('are kept: a PodDisruptionBudget that lets nobody go after the first is a failed try, and a person is called', () => {
    const specs = [service({ recovery: { maxUnavailable: 2, minHealthy: 1, steps: { replace: { tries: 1 } } } })];
    const events = [happens('protectOthers'), happens('someIll', 'hang'), happens('protect', 0, 14 * second)];
    const run = story(events, { specs });
    expect(historyOf(run)).toMatchObject({ incident: { stage: 'handedOver' } });
    expect(historyOf(run).repairs.length).toBeGreaterThan(0);
  });

  it('are kept: a PodDisruptionBudget that does not let go whom a StatefulSet waits for, once it was rolled back', () => {
    const specs = [service({ stateful: true, recovery: { steps: { rollback: { tries: 1 } } } })];
    const bad = [happens('protect'), happens('badDeploy', 0)];
    const run = story([...bad, happens('unprotect', 0, 6 * minute)], { specs });
    const { closed, repairs, revisions } = historyOf(run);
    expect(closed).toMatchObject([{ cause: 'bad-revision', end: 'recovered' }]);
    expect(toldAbout(run).at(-2)).toMatch(/^is being verified: done: replace web-\d: /);
    expect(repairs).toHaveLength(1);
    // It was left all the same: should somebody bring it back, it is theirs.
    expect(revisions).toEqual({ healthy: ['r1'], bad: ['r2'], left: ['r2'] });
    const refused = historyOf(story(bad, { specs, length: hour }));
    expect(refused).toMatchObject({ repairs: [expect.any(Number)], incident: { stage: 'handedOver' } });
    expect(refused.revisions).toEqual(revisions);
  });

  it('are kept: a PodDisruptionBudget that refuses a wave gives it no more time, however much a step has', () => {
    const steps = { replace: { deadline: 20 * minute, tries: 1 } };
    const specs = [service({ recovery: { maxUnavailable: 2, minHealthy: 1, steps } })];
    const events = [happens('protectOthers'), happens('someIll', 'hang'), happens('protect', 0, 14 * second)];
    const { incident } = historyOf(story(events, { specs, length: 2 * hour }));
    expect(incident?.stage).toBe('handedOver');
    expect(incident?.attempts[0]).toMatchObject({ step: 'replace', result: 'failed' });
  });

  it('are kept: what all share is not one’s alone, however long its repair may take', () => {
    const slow = { steps: { replace: { deadline: 12 * hour, tries: 1 } } };
    const specs = [service({ name: 'a/slow', recovery: slow }), service({ name: 'b/other' })];
    // Nobody comes in the place of whoever was taken away.
    const events = [happens('ill', 'hang'), happens('quota', 1), happens('allIll', 'wrong', minute, 1)];
    const run = story(events, { specs, length: 2 * hour, cluster: { ...clusterDefaults, concurrent: 1 } });
    expect(historyOf(run, 'b/other').closed).toMatchObject([{ cause: 'wrong-answers', end: 'recovered' }]);
  });

  it('are kept: no wave begins when the time of its step is over, as where the API server was away for long', () => {
    const specs = [service({ recovery: { steps: { replace: { tries: 1 } } } })];
    const events = [happens('someIll', 'hang'), happens('apiDown', 0, 15 * second), happens('apiUp', 0, 9 * minute)];
    const run = story(events, { specs });
    const { incident, closed } = historyOf(run);
    expect(closed).toEqual([]);
    expect(incident?.attempts[0]).toMatchObject({ step: 'replace', result: 'failed', actions: [{}] });
    expect(incident?.attempts[0]?.actions).toHaveLength(1);
  });

  it('are kept: another scaler', () => {
    const scaling = { max: 10, targets: [{ metric: 'cpu', target: 0.6 }] };
    const brain = seeing({ autoscaler: 'HorizontalPodAutoscaler web' });
    const run = story([happens('curse', 'saturated')], { specs: [service({ scaling })], brain });
    expect(run.world.services.get('web')?.desired).toBe(3);
    expect(historyOf(run).incident?.stage).toBe('handedOver');
  });
});
