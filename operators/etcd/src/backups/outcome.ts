/** What has become of a pod that handles a snapshot. Pure. */
import type { ContainerStatus, Pod } from '@kurator/sdk';
import { SCRATCH_MEMBER } from './pods.ts';
import { type Report, readReport } from './task.ts';

export type Outcome =
  | { readonly is: 'pending'; readonly why: string }
  | { readonly is: 'done'; readonly report: Extract<Report, { ok: true }> }
  | { readonly is: 'failed'; readonly why: string; readonly refused: boolean; readonly there: boolean };

/** By the kernel, for want of memory, or by the kubelet. */
const KILLED = 137;
/** The words of tools that are shown at most. */
const LONGEST = 1000;

export function outcomeOf({ metadata, spec, status = {} }: Pod): Outcome {
  const { initContainerStatuses: first = [], containerStatuses: main = [] } = status;
  const ended = [...first, ...main].find(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0);
  if (ended) return failure(ended);
  // The last container is the one whose word counts; a scratch member beside it goes on until the pod is deleted.
  const last = spec?.containers.at(-1)?.name;
  const report = readReport(main.find(({ name }) => name === last)?.state?.terminated?.message);
  if (report?.ok) return { is: 'done', report };
  if (status.phase === 'Failed') {
    const why = [status.reason, status.message].filter(Boolean).join(': ') || 'the pod failed';
    return { is: 'failed', why, refused: false, there: false };
  }
  if (status.phase === 'Succeeded')
    return { is: 'failed', why: 'it ended without a word', refused: false, there: false };
  return { is: 'pending', why: waitingFor(metadata.name, [...first, ...main], status) };
}

function failure({ name, state }: ContainerStatus): Outcome {
  const { message, reason, exitCode } = state?.terminated ?? {};
  const report = readReport(message);
  if (report && !report.ok) {
    const { why, refused = false, there = false } = report;
    return { is: 'failed', why, refused, there };
  }
  const said = message?.trim().slice(-LONGEST) || reason || `exit code ${exitCode}`;
  // What was whole on its way, and etcd's own tool or etcd itself refuses, they will refuse again.
  const refused = (name === 'restore' || name === SCRATCH_MEMBER) && exitCode !== KILLED;
  return { is: 'failed', why: `${name}: ${said}`, refused, there: false };
}

function waitingFor(pod: string, containers: readonly ContainerStatus[], status: NonNullable<Pod['status']>): string {
  const unscheduled = status.conditions?.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  if (unscheduled) return `the pod ${pod} finds no node: ${unscheduled.message ?? unscheduled.reason ?? ''}`;
  const waiting = containers.find(({ state }) => state?.waiting && !/^Pod|^Container/.test(state.waiting.reason ?? ''));
  if (waiting) {
    const { reason = '', message } = waiting.state?.waiting ?? {};
    return `the pod ${pod} waits: ${[reason, message].filter(Boolean).join(': ')}`.slice(0, LONGEST);
  }
  const running = containers.find(({ state }) => state?.running);
  return running ? `${running.name} in the pod ${pod}` : `the pod ${pod} starts`;
}
