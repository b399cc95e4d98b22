/** One thought about one case: what is seen now, with what is in mind; and the checks, as they follow from it. */
import { theService } from '../brain/observation.ts';
import { perceive, wantedBy } from '../brain/perception/perception.ts';
import { momentOf } from '../brain/replay.ts';
import { type Thought, think } from '../brain/think.ts';
import { happenedTo } from '../checking/happenings.ts';
import { planOf } from '../checking/plan.ts';
import { incidentReference } from '../recording/incident-record.ts';
import { Incident } from '../resources/incident.ts';
import type { Case } from './case.ts';
import { observe } from './observe.ts';

/** Thinks. Waits for nothing, so that no two thoughts mix. */
export function consider(found: Case): Thought {
  const { ward, mind, kurator, context, scene, spec, relations, memory, now } = found;
  const { history } = memory;
  const incident = history.incident && context.get(Incident, incidentReference(kurator, history.incident.id));
  const { dependencies, dependants } = relations;
  const answers = [...(memory.answers ?? []), ...mind.answers];
  const at = Math.min(now, ward.contact.currentAt());
  const usage = new Map(Array.from(mind.gauges ?? [], ([uid, { brain }]) => [uid, brain]));
  const seen = observe(scene, { at, memory: { ...memory, answers }, dependencies, dependants, incident, usage });
  const happened = happenedTo(mind.seen, seen);
  const news = { results: [], samples: [], instances: seen.instances, wanted: wantedBy(seen) };
  const perception = perceive(spec, mind.perception, news);
  Object.assign(mind, { spec, seen, perception });
  // Before the thought: where packets are lost is not concluded while others are being asked.
  ward.agents?.attend(mind);
  const cluster = ward.weather.view(mind.name, now);
  const grounds = { spec, seen, history, cluster, outcomes: [...mind.outcomes.values()], now };
  const thought = think({ ...grounds, perception: mind.perception });
  const moment = momentOf(grounds, thought);
  Object.assign(mind, { evidence: thought.evidence, memory: { ...memory, history }, moment });
  mind.service = scene.service?.metadata.name;
  ward.checkups.plan(mind, planOf(kurator, spec, scene, { readSecret: found.readSecret, reach: ward.reach }));
  if (happened.size > 0) ward.checkups.lookNow(mind, happened.add(theService));
  return thought;
}
