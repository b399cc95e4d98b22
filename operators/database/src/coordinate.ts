/** Who leads: asks instances, and changes the record, as ../brain says. What it remembers between passes may be forgotten at any time. */
import { type AuthorContext, Lease } from '@kurator/sdk';
import {
  type CoordinatorView,
  firstRecord,
  type Look as InstanceLook,
  nextStep,
  sightingAfter,
} from './brain/coordinator.ts';
import type { FreezeAnswer } from './brain/messages.ts';
import type { ClusterRecord } from './brain/record.ts';
import { TIMES } from './brain/times.ts';
import { ownName } from './children/names.ts';
import { readRecord, withRecord } from './instance/lease-record.ts';
import { askFreeze } from './instance/peers.ts';
import type { Look } from './look.ts';
import type { Plan } from './plan.ts';
import type { PostgresCluster } from './resources.ts';

interface Remembered {
  sighting: CoordinatorView['sighting'];
  /** For the epoch of the record: the last that each instance has said. */
  answers: Map<string, FreezeAnswer>;
}

/** What ../brain says where there is nothing to do. */
const AS_WANTED = 'as wanted';
/** So many steps a pass: each is one write, or one round of questions. */
const STEPS = 8;

/** Of all clusters that this process sees to, by uid. */
export class Coordinator {
  readonly #remembered = new Map<string, Remembered>();

  /** @returns What it waits for; undefined: all is as wanted. */
  async pass(cluster: PostgresCluster, seen: Look, planned: Plan, context: AuthorContext): Promise<string | undefined> {
    const { uid = '' } = cluster.metadata;
    const memory = this.#remembered.get(uid) ?? { sighting: undefined, answers: new Map() };
    this.#remembered.set(uid, memory);
    for (let steps = 0; steps < STEPS; steps++) {
      const step = await this.#step(cluster, memory, seen, planned, context);
      if (step.do === 'wait') return step.why === AS_WANTED ? undefined : step.why;
      if (step.do === 'asked') return step.why;
    }
    return 'another primary is chosen';
  }

  /** One write, or one round of questions, after which it is looked at once more. */
  async #step(cluster: PostgresCluster, memory: Remembered, seen: Look, planned: Plan, context: AuthorContext) {
    const { client, log } = context;
    const { namespace = '' } = cluster.metadata;
    // Of the API server itself: a cache may be behind what is decided by it.
    const lease = await client.get(Lease, { name: ownName(cluster), namespace });
    const record = readRecord(lease);
    if (!record) return { do: 'wait', why: await this.#begin(cluster, lease, planned, context) } as const;
    memory.sighting = sightingAfter({ sighting: memory.sighting, now: performance.now() }, record);
    const view = viewOf(record, memory, seen, planned);
    const step = nextStep(view);
    if (step.do === 'write' && (await write(lease, step.record, context))) {
      log.info(step.why, { epoch: step.record.epoch, stage: step.record.stage });
    }
    if (step.do !== 'ask') return step;
    await ask(record, memory, seen);
    const after = nextStep({ ...view, answers: [...memory.answers.values()] });
    return after.do === 'ask' ? ({ do: 'asked', why: after.why } as const) : ({ do: 'again', why: step.why } as const);
  }

  forget({ metadata }: PostgresCluster): void {
    this.#remembered.delete(metadata.uid ?? '');
  }

  /** Only a cluster that never had data is begun. */
  async #begin({ status }: PostgresCluster, lease: Lease, { wishes }: Plan, context: AuthorContext) {
    const [first] = wishes.instances;
    if (status?.systemId)
      return 'the record of this cluster is gone, and its data is there: put its Lease back from a backup';
    if (first) await write(lease, firstRecord(first), context);
    return 'begins';
  }
}

function viewOf(record: ClusterRecord, memory: Remembered, seen: Look, { wishes }: Plan): CoordinatorView {
  const looks = [...seen.reports].map(([name, { streams, grants }]): [string, InstanceLook] => [
    name,
    { streams, grants, stuck: false },
  ]);
  return {
    now: performance.now(),
    times: TIMES,
    record,
    sighting: memory.sighting,
    answers: [...memory.answers.values()],
    looks: new Map(looks),
    wishes,
  };
}

/** @returns False if somebody else was first. */
async function write(lease: Lease, record: ClusterRecord, { client, signal }: AuthorContext): Promise<boolean> {
  return await client.replace(Lease, withRecord(lease, record), { signal, retries: 0 }).then(
    () => true,
    () => false,
  );
}

async function ask({ epoch }: ClusterRecord, memory: Remembered, { brains, token }: Look): Promise<void> {
  await Promise.all(
    [...brains].map(async ([name, brain]) => {
      const answer = await askFreeze(brain, token, { epoch });
      if (answer?.from === name) memory.answers.set(name, answer);
    }),
  );
}
