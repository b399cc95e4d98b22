/**
 * Rolls out a revision that can't begin: an init container fails in it, until the deadline. No instance of it is ever ready,
 * so a rolling update takes no more of the old ones than it may; and from the deadline on it begins as it should.
 */
import { type Client, type Container, hasCode, isNotFound } from '@kurator/client';
import { type Kurator, kurators } from '../../healer/kinds.ts';
import { type DrillSubject, workloadReference, workloadType } from '../drill-subject.ts';
import { worksInside } from './inside.ts';
import { containerOf, type Means, missing, type Stage } from './means.ts';
import { notBefore } from './scripts.ts';

const name = 'kurator-drill';
const fieldManager = 'kurator-drill';

export function revisionMeans(stage: Stage): Means {
  const { client, subject, pods, seconds } = stage;
  const [pod] = pods;
  if (!pod) throw missing('there is no pod whose image could be used', 'wait until there is one');
  const target = containerOf(pod, stage.container);
  const { kind, ...reference } = workloadReference(subject.kurator);
  const bad = (): Container => ({
    name,
    ...(target.image && { image: target.image }),
    command: notBefore(Math.ceil(Date.now() / 1000) + seconds),
    ...(target.securityContext && { securityContext: target.securityContext }),
    ...(target.resources && { resources: target.resources }),
  });
  const write = async (dryRun: boolean) => {
    // Not broken off by a Ctrl-C: what was written must be known.
    const options = { dryRun, fieldManager };
    if (subject.kurator.spec.service) {
      const spec = { service: { podTemplate: withContainer(subject, bad()) } };
      await client.patch(kurators, subject.kurator.metadata, { spec }, options);
    } else {
      const patch = { spec: { template: { spec: { initContainers: [bad()] } } } };
      await client.patch(workloadType(kind), reference, patch, { ...options, type: 'strategic' });
    }
  };
  return {
    plan: `rolls out a revision of ${kind} ${reference.name} whose init container ${name} fails`,
    async check() {
      if (!(await worksInside(stage, pod, 'date +%s >/dev/null'))) {
        throw missing(`the image of ${pod.metadata.name} has no sh with date`, 'drill another fault');
      }
      await write(true);
    },
    async inject() {
      const at = Date.now();
      await write(false);
      return at;
    },
    heal: async () => await takeBack(client, subject),
  };
}

type Template = { spec?: { initContainers?: { name?: string }[] } } & Record<string, unknown>;

/** For a service that Kurator makes itself, it is said where a person would say it. */
function withContainer({ kurator }: DrillSubject, container: Container): Template {
  const template = (kurator.spec.service?.podTemplate ?? {}) as Template;
  const { initContainers = [] } = template.spec ?? {};
  return { ...template, spec: { ...template.spec, initContainers: [...initContainers, container] } };
}

/** Removes just that container, wherever it is by now; a roll-back has done so already, or does so at the same time. */
export async function takeBack(client: Client, { kurator }: DrillSubject): Promise<void> {
  for (let tries = 5; ; tries--) {
    try {
      return await remove(client, kurator);
    } catch (error) {
      if (isNotFound(error)) return;
      if (!hasCode(error, 'KUR_CLIENT_INVALID') || tries <= 1) throw error;
    }
  }
}

async function remove(client: Client, kurator: Kurator): Promise<void> {
  const { kind, ...reference } = workloadReference(kurator);
  if (kurator.spec.service) {
    const now = await client.find(kurators, kurator.metadata);
    const template = now?.spec.service?.podTemplate as Template | undefined;
    const patch = removal('/spec/service/podTemplate', template?.spec?.initContainers);
    if (patch) await client.patch(kurators, kurator.metadata, patch, json);
    return;
  }
  const now = await client.find<{ apiVersion: string; kind: string } & TemplateHolder>(
    workloadType(kind) as never,
    reference,
  );
  const patch = removal('/spec/template', now?.spec?.template.spec?.initContainers);
  if (patch) await client.patch(workloadType(kind) as never, reference, patch, json);
}

interface TemplateHolder {
  metadata: { name: string };
  spec?: { template: Template };
}

const json = { type: 'json', fieldManager } as const;

/** Undefined if there is nothing to remove. A list that would be empty was not there before. */
function removal(template: string, containers: readonly { name?: string }[] = []): object[] | undefined {
  const index = containers.findIndex((one) => one.name === name);
  if (index < 0) return undefined;
  const list = `${template}/spec/initContainers`;
  return [
    { op: 'test', path: `${list}/${index}/name`, value: name },
    { op: 'remove', path: containers.length === 1 ? list : `${list}/${index}` },
  ];
}
