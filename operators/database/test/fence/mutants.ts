/** Decisions that are wrong on purpose, each in one way. The model must find every one of them. */
import type { CoordinatorView, Step } from '../../src/brain/coordinator.ts';
import type { InstanceView } from '../../src/brain/instance.ts';
import type { FreezeAnswer, Frozen } from '../../src/brain/messages.ts';
import type { ClusterRecord } from '../../src/brain/record.ts';
import { DECISIONS, type Decisions } from './decisions.ts';

const { freeze, freshMemory, grant, nextStep, opens, renewal, syncStep } = DECISIONS;

/** The coordinator waits for less than the holder may run on. */
const hasty = (view: CoordinatorView): CoordinatorView => ({ ...view, times: { ...view.times, wait: 1 } });

const isFrozen = (answer: FreezeAnswer): answer is Frozen => answer.answer === 'frozen';

/** Whoever has answered counts for all. */
function withoutQuorum(view: CoordinatorView): Step {
  const { record, answers } = view;
  const enough = answers.some((answer) => isFrozen(answer) && answer.epoch === record.epoch);
  return nextStep(enough ? { ...view, record: { ...record, sets: [] } } : view);
}

/** What it writes is as it should be, but for that. */
function changed(step: Step, change: (record: ClusterRecord) => ClusterRecord): Step {
  return step.do === 'write' ? { ...step, record: change(step.record) } : step;
}

/** Logs by their length alone, or by what postgres calls their timeline. */
const byNumber = (number: (answer: Frozen) => number) => (view: CoordinatorView) => {
  const answers = view.answers.map((answer) =>
    isFrozen(answer)
      ? { ...answer, led: undefined, lines: [{ epoch: number(answer), timeline: 1, start: 0 }] }
      : answer,
  );
  const step = nextStep({ ...view, answers });
  const chosen = view.answers
    .filter(isFrozen)
    .find((answer) => step.do === 'write' && answer.from === step.record.holder);
  return view.record.stage === 'Freezing' && chosen
    ? changed(step, (record) => ({ ...record, lines: chosen.lines }))
    : step;
};

const of = (decisions: Partial<Decisions>): Decisions => ({ ...DECISIONS, ...decisions });

/** Whoever streams when the holder falls silent is to lead, whatever others turn out to have. */
function chosenBefore(view: CoordinatorView): Step {
  const step = nextStep(view);
  const { record, looks, answers } = view;
  if (step.do !== 'write') return step;
  if (step.record.stage === 'Freezing') {
    const first = [...looks].find(([, { streams }]) => streams === record.epoch)?.[0];
    return changed(step, (next) => ({ ...next, preferred: first }));
  }
  const chosen = answers
    .filter(isFrozen)
    .find(({ from, epoch }) => from === record.preferred && epoch === record.epoch);
  return record.stage === 'Freezing' && chosen
    ? changed(step, (next) => ({ ...next, holder: chosen.from, lines: chosen.lines }))
    : step;
}

/** The time of a renewal is written down by who renews, and read by who waits. */
const trustingClocks: Partial<Decisions> = {
  renewal: (view) => {
    const record = renewal(view);
    return record && ({ ...record, renewedAt: view.now } as typeof record);
  },
  nextStep: (view) => {
    const { renewedAt } = view.record as { renewedAt?: number };
    return nextStep(
      renewedAt === undefined ? view : { ...view, sighting: { renewal: view.record.renewal, since: renewedAt } },
    );
  },
};

export const mutants = {
  'does not wait for the lease': of({ nextStep: (view) => nextStep(hasty(view)) }),
  'chooses before it has fenced': of({ nextStep: chosenBefore }),
  'trusts a time that another clock has written': of(trustingClocks),
  'promotes without a quorum of freezes': of({ nextStep: withoutQuorum }),
  'answers before its receiver is gone': of({
    freeze: (view, request) => freeze({ ...view, postgres: { ...view.postgres, receives: false } }, request),
  }),
  'goes by fewer acknowledgements before that is written': of({
    syncStep: (view) => {
      const { applied } = view.postgres;
      const step = syncStep(view);
      return step === undefined && view.disk.serves && applied && applied.k > 0 && view.disk.led === view.disk.promised
        ? { do: 'apply', set: { names: [], k: 0 } }
        : step;
    },
    opens: (view) => opens({ ...view, disk: { ...view.disk, sets: [...view.disk.sets, { names: [], k: 0 }] } }),
  }),
  'writes the new set over the old one': of({
    nextStep: (view) =>
      changed(nextStep(view), (record) => (record.next ? { ...record, sets: [record.next] } : record)),
  }),
  'takes a new set for safe before a write was acknowledged by it': of({
    syncStep: (view) => syncStep({ ...view, postgres: { ...view.postgres, confirmed: true } }),
  }),
  'grants while it is frozen': of({
    grant: (view, request) => {
      const said = grant(view, request);
      return { disk: { ...said.disk, granted: true }, answer: { ...said.answer, granted: true } };
    },
  }),
  'freezes while what it has granted lives': of({
    freeze: (view, request) => freeze({ ...view, memory: { ...view.memory, grantedUntil: undefined } }, request),
  }),
  'forgets what it has granted when it starts': of({
    freshMemory: (disk, now, times) => freshMemory({ ...disk, granted: false }, now, times),
  }),
  'serves clients before anything was acknowledged to it': of({
    opens: (view) => opens({ ...view, postgres: { ...view.postgres, settled: true } }),
  }),
  'serves clients before the record says so': of({
    opens: (view: InstanceView) => opens({ ...view, disk: { ...view.disk, serves: true } }),
  }),
  'lets standbys of another epoch receive': of({ slotOf: (name) => name }),
  'takes the highest timeline': of({ nextStep: byNumber(({ lines }) => lines.at(-1)?.timeline ?? 1) }),
  'releases the lease while postgres runs': of({
    renewal: (view) =>
      renewal(view) && view.record && view.postgres.is === 'primary' && view.disk.serves
        ? { ...view.record, released: true }
        : renewal(view),
  }),
} as const satisfies Readonly<Record<string, Decisions>>;
