/** What a kubelet's `/metrics/resource` page says about its node and pods at one moment. Pure. */
import { parsePrometheusText, type Sample } from './prometheus-text.ts';

/** Counters of one container or node. */
export interface Reading {
  /** Seconds of CPU time since the start. */
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  /** When it was taken, in milliseconds since 1970. */
  readonly at: number;
  /** When the container started, in milliseconds since 1970, where that is known. */
  readonly startedAt?: number | undefined;
}

/** One page. */
export interface KubeletSample {
  readonly node: Reading | undefined;
  /** By `NAMESPACE/POD`, then by container. */
  readonly pods: ReadonlyMap<string, ReadonlyMap<string, Reading>>;
}

type Draft = { -readonly [Field in keyof Reading]?: Reading[Field] };

const fields: Readonly<Record<string, (draft: Draft, sample: Sample, now: number) => void>> = {
  cpu_usage_seconds_total: (draft, { value, timestamp }, now) => {
    draft.cpuSeconds = value;
    draft.at = timestamp ?? now;
  },
  memory_working_set_bytes: (draft, { value }) => {
    draft.memoryBytes = value;
  },
  start_time_seconds: (draft, { value }) => {
    draft.startedAt = value * 1000;
  },
};

/** Reads a page; `now` stands in for timestamps that the page leaves out. */
export function parseKubeletSample(text: string, now: number): KubeletSample {
  const node: Draft = {};
  const pods = new Map<string, Map<string, Draft>>();
  for (const sample of parsePrometheusText(text)) {
    const [, subject, field] = /^(node|container)_(.+)$/.exec(sample.name) ?? [];
    const set = fields[field ?? ''];
    if (!set || Number.isNaN(sample.value)) continue;
    set(subject === 'node' ? node : containerDraft(pods, sample), sample, now);
  }
  const complete = [...pods].map(([pod, containers]) => [pod, completeReadings(containers)] as const);
  return { node: asReading(node), pods: new Map(complete.filter(([, containers]) => containers.size > 0)) };
}

function containerDraft(pods: Map<string, Map<string, Draft>>, { labels }: Sample): Draft {
  const pod = `${labels.namespace}/${labels.pod}`;
  const containers = pods.get(pod) ?? new Map<string, Draft>();
  const draft = containers.get(labels.container ?? '') ?? {};
  containers.set(labels.container ?? '', draft);
  pods.set(pod, containers);
  return draft;
}

function completeReadings(drafts: ReadonlyMap<string, Draft>): Map<string, Reading> {
  const readings = new Map<string, Reading>();
  for (const [name, draft] of drafts) {
    const reading = asReading(draft);
    if (reading) readings.set(name, reading);
  }
  return readings;
}

function asReading({ cpuSeconds, memoryBytes, at, startedAt }: Draft): Reading | undefined {
  if (cpuSeconds === undefined || memoryBytes === undefined || at === undefined) return undefined;
  return { cpuSeconds, memoryBytes, at, startedAt };
}
