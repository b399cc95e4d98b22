/** Faults that use up what a pod has: disk, processor, memory. */
import {
  type ContainerTarget,
  containerFields,
  describeContainer,
  type FaultBase,
  type FaultKind,
} from './fault-kind.ts';
import { bytes, cores, optional, required, text } from './field.ts';

/** Fills a volume with a file, which healing deletes. */
export interface FillRequest extends FaultBase, Omit<ContainerTarget, 'container'> {
  kind: 'fill';
  /** Its name in the pod's `spec.volumes`. */
  volume: string;
  /** How much to write. Default: until it is full, which is refused for volumes on the machine's own disk. */
  bytes?: number | string;
}

/** Keeps processor cores busy inside a container's limits, so that its own processes get less. */
export interface BurnCpuRequest extends FaultBase, ContainerTarget {
  kind: 'burn-cpu';
  /** 1 to 64. Default: 1. */
  cores?: number;
}

/**
 * Holds memory inside a container's limits. Where the limit can't hold it, the container is killed and reported as
 * OOMKilled, as if its own process had grown.
 */
export interface BurnMemoryRequest extends FaultBase, ContainerTarget {
  kind: 'burn-memory';
  /** A number, or a quantity such as `64Mi`. */
  bytes: number | string;
}

/** The kinds of faults that use up what a pod has. */
export const resourceKinds = {
  fill: {
    summary: 'fills a volume of a pod',
    fields: {
      pod: containerFields.pod,
      namespace: containerFields.namespace,
      volume: required("a volume's name in the pod's spec.volumes", text),
      bytes: optional('how much to write, if not all there is', bytes),
    },
    describe: ({ volume, bytes, ...pod }) =>
      `fills volume ${volume} of ${describeContainer(pod)}${bytes === undefined ? '' : ` with ${amount(bytes)}`}`,
  } satisfies FaultKind<FillRequest>,
  'burn-cpu': {
    summary: "keeps processor cores busy inside a container's limits",
    fields: { ...containerFields, cores: optional('how many cores, if not one', cores) },
    describe: ({ cores = 1, ...target }) =>
      `burns ${cores === 1 ? '1 core' : `${cores} cores`} in ${describeContainer(target)}`,
  } satisfies FaultKind<BurnCpuRequest>,
  'burn-memory': {
    summary: "holds memory inside a container's limits",
    fields: { ...containerFields, bytes: required('how much memory, such as "64Mi"', bytes) },
    describe: ({ bytes, ...target }) => `holds ${amount(bytes)} of memory in ${describeContainer(target)}`,
  } satisfies FaultKind<BurnMemoryRequest>,
};

/** A quantity says its unit itself. */
function amount(bytes: number | string): string {
  return typeof bytes === 'number' ? `${bytes} bytes` : bytes;
}
