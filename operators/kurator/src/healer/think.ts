/** The thought of a pass: what is seen now, with what is remembered; and which checks follow from it. */
import { theService } from '../brain/observation.ts';
import { perceive, wantedBy } from '../brain/perception/perception.ts';
import { momentOf } from '../brain/replay.ts';
import { type Thought, think } from '../brain/think.ts';
import { incidentReference } from '../memory/incident-object.ts';
import { Incident } from '../resources/incident.ts';
import { planOf, refusedAddressIn } from '../senses/check-plan.ts';
import { happenedTo, observe } from '../senses/observe.ts';
import type { Findings } from './pass.ts';

/** Thinks. Waits for nothing, so that no two thoughts mix. */
export function thinkAbout(found: Findings): Thought {
  const { scope, memory, kurator, context, objects, spec, relations, record, now } = found;
  const { history } = record;
  const incident = history.incident && context.get(Incident, incidentReference(kurator, history.incident.id));
  const { dependencies, dependants } = relations;
  const answers = [...(record.answers ?? []), ...memory.answers];
  const at = Math.min(now, scope.freshness.currentAt());
  const usage = new Map(Array.from(memory.usage ?? [], ([uid, { brain }]) => [uid, brain]));
  const { nodeAnswers } = scope.checks;
  const sight = { at, record: { ...record, answers }, dependencies, dependants, incident, usage, nodeAnswers };
  const seen = observe(objects, sight);
  const happened = happenedTo(memory.seen, seen);
  const news = { results: [], samples: [], instances: seen.instances, wanted: wantedBy(seen) };
  const perception = perceive(spec, memory.perception, news);
  Object.assign(memory, { spec, seen, perception });
  // Before the thought: where packets are lost is not concluded while others are being asked.
  scope.agents?.attend(memory);
  const cluster = scope.clusterState.view(memory.name, now);
  const grounds = { spec, seen, history, cluster, outcomes: [...memory.outcomes.values()], now };
  const thought = think({ ...grounds, perception: memory.perception });
  const moment = momentOf(grounds, thought);
  Object.assign(memory, { evidence: thought.evidence, record: { ...record, history }, moment });
  scheduleChecks(found, happened);
  return thought;
}

/** The checks that the pods and the Service need now; those of pods that something happened to run at once. */
function scheduleChecks({ scope, memory, kurator, spec, objects, readSecret }: Findings, happened: Set<string>): void {
  memory.service = objects.service?.metadata.name;
  const plan = planOf(kurator, spec, objects, { readSecret, reach: scope.reach });
  memory.refusedAddress = refusedAddressIn(plan);
  scope.checks.plan(memory, plan);
  if (happened.size > 0) scope.checks.lookNow(memory, happened.add(theService));
}
