/** What an object says of how it is. Pure. */
import type { Condition, UntypedObject } from '@kurator/client';

interface Status {
  observedGeneration?: number;
  conditions?: Condition[];
}

/** `Garden shop/roses` */
function nameOf({ kind, metadata: { namespace, name } }: UntypedObject): string {
  return `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
}

function statusOf({ status }: UntypedObject): Status {
  return (status ?? {}) as Status;
}

/** Why the operator has not (yet) done what the object says. */
export function reconciledProblem(object: UntypedObject): string | undefined {
  const { observedGeneration } = statusOf(object);
  const { generation = 0 } = object.metadata;
  if (observedGeneration === undefined) return `${nameOf(object)} has no status.observedGeneration`;
  if (observedGeneration >= generation) return undefined;
  return `${nameOf(object)} was changed and not seen since: generation ${generation}, seen ${observedGeneration}`;
}

/** What is missing for people and programs to know how it is. */
export function conditionsProblem(object: UntypedObject): string | undefined {
  const { conditions = [] } = statusOf(object);
  if (conditions.length === 0) return `${nameOf(object)} has no conditions`;
  const silent = conditions.find(({ reason }) => !reason);
  return silent && `${nameOf(object)}: the condition ${silent.type} gives no reason`;
}

/** The status of the condition Ready, if it has one. */
export function readiness(object: UntypedObject): string | undefined {
  return statusOf(object).conditions?.find(({ type }) => type === 'Ready')?.status;
}
