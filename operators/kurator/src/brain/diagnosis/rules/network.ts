/**
 * One instance, one node, or the network? Told apart by which paths are bad. Where it can't be told, it is the network:
 * nothing is restarted for that, and a person is called.
 */
import { confirmed, type InstanceEvidence, inState } from '../../evidence/evidence.ts';
import { patienceOf } from '../../evidence/instance-detectors.ts';
import type { Symptom } from '../../evidence/symptom.ts';
import type { Millis } from '../../time.ts';
import type { DiagnosisInput, Finding, Rule } from '../rule.ts';

/** Loss on the way to one instance alone. */
export const packetLoss: Rule = ({ evidence }) => {
  const lossy = lossyOf(evidence.instances);
  const [one] = lossy;
  if (!one || lossy.length > 1) return undefined;
  const reasons = [...saysOf(one, 'loss'), 'every other pod that was measured is reached without loss'];
  return { cause: 'packet-loss', confidence: 'likely', affected: [one.uid], reasons };
};

/** Two or more fail, or lose packets, all on one node, and nobody else does. */
export const oneNode: Rule = ({ evidence }) => {
  const bad = inState(evidence, 'failing', 'impaired');
  const node = bad[0]?.node;
  if (bad.length < 2 || node === undefined || !bad.every((instance) => instance.node === node)) return undefined;
  const elsewhere = inState(evidence, 'healthy').filter((instance) => instance.node !== node);
  if (elsewhere.length === 0) return undefined;
  const reasons = [
    `all ${bad.length} that fail run on node ${node}, and none of the ${elsewhere.length} on other nodes does`,
    ...bad.flatMap(({ symptoms }) => symptoms.map(({ says }) => says)),
  ];
  return { cause: 'node', confidence: 'likely', affected: bad.map(({ uid }) => uid), reasons };
};

/** Loss that no single instance or node explains. */
export function lossEverywhere({ evidence }: DiagnosisInput): Finding | undefined {
  const lossy = lossyOf(evidence.instances);
  if (lossy.length === 0) return undefined;
  const measured = evidence.instances.filter(isMeasured);
  const reasons = lossy.flatMap((instance) => saysOf(instance, 'loss'));
  const isEverywhere = lossy.length === measured.length && lossy.every(({ ways }) => ways?.clear.length === 0);
  if (isEverywhere) return found('every path that was measured loses packets', lossy, reasons);
  const where = vantageAtFault(measured);
  if (where) return found(`only from ${where} packets are lost, and from there to everybody`, lossy, reasons);
  const node = lossy[0]?.node;
  const onIt = measured.filter((instance) => instance.node === node);
  const isOneNode = lossy.every((instance) => instance.node === node) && onIt.length === lossy.length;
  if (lossy.length === 1 || (node !== undefined && isOneNode)) return undefined;
  return found(`${lossy.length} of ${measured.length} pods lose packets, on no single node`, lossy, reasons);
}

/** A vantage point that loses packets to all, while others reach the same instances without loss. */
function vantageAtFault(measured: readonly InstanceEvidence[]): string | undefined {
  const from = new Set(measured.flatMap(({ ways }) => ways?.lossy ?? []));
  const [only] = from;
  if (only === undefined || from.size > 1) return undefined;
  const tried = measured.filter(({ ways }) => ways && [...ways.lossy, ...ways.clear].includes(only));
  const toAll = tried.every(({ ways }) => ways?.lossy.includes(only));
  return toAll && tried.every(({ ways }) => (ways?.clear.length ?? 0) > 0) ? only : undefined;
}

/** Silence that no single instance or node explains. */
export function silenceEverywhere({ evidence, spec, now }: DiagnosisInput): Finding | undefined {
  const live = evidence.instances.filter(({ health }) => health !== 'terminating');
  const silent = live.filter((instance) => saysOf(instance, 'unreachable').length > 0);
  if (silent.length === 0) return undefined;
  const reasons = silent.flatMap((instance) => saysOf(instance, 'unreachable'));
  if (silent.some(({ ways }) => (ways?.clear.length ?? 0) > 0)) {
    return found('what we can not reach is reached from elsewhere', silent, reasons);
  }
  // Somebody else must say so too: its node, or another instance that was reached since. That all are dead and Ready is
  // unlikely.
  const awhileAgo = now - patienceOf(spec);
  const isToldApart = silent.every((one) => !one.ready || live.some((other) => wasReachedSince(other, one, awhileAgo)));
  const isEverybody = live.every(({ ready, symptoms }) => ready && symptoms.some(isSilence));
  if (isToldApart && !isEverybody) return undefined;
  if (isEverybody && silent.length === live.length)
    return found('no pod is reached, and their nodes say that all of them are ready', silent, reasons);
  // The first of them to be sure of need not be the only one: who would act on it now would be too early.
  const why = 'no other pod was surely reached since then, so it may be the network';
  const affected = silent.map(({ uid }) => uid);
  return { cause: 'unreachable', confidence: 'possible', affected, reasons: [why, ...reasons] };
}

/** Whoever has only just come back comes back with the others: it tells nobody apart for a while. */
function wasReachedSince({ answered }: InstanceEvidence, { symptoms }: InstanceEvidence, awhileAgo: Millis): boolean {
  const since = Math.max(...symptoms.filter(isSilence).map((symptom) => symptom.unreachedSince ?? symptom.since));
  return answered !== undefined && answered.to > since && answered.from <= Math.max(since, awhileAgo);
}

/** A way through the Service that fails, while every instance is well. */
export function serviceOnly({ evidence }: DiagnosisInput): Finding | undefined {
  const symptoms = confirmed(evidence);
  if (!symptoms.every(({ kind }) => kind === 'service') || evidence.counts.healthy < evidence.instances.length) {
    return undefined;
  }
  const reasons = symptoms.map(({ says }) => says);
  return found('every pod is healthy when asked directly; only the way through the Service fails', [], reasons);
}

function found(why: string, affected: readonly InstanceEvidence[], reasons: readonly string[]): Finding {
  const uids = affected.map(({ uid }) => uid);
  return { cause: 'network', confidence: 'likely', affected: uids, reasons: [why, ...reasons] };
}

function lossyOf(instances: readonly InstanceEvidence[]): InstanceEvidence[] {
  return instances.filter(({ health, ways }) => health !== 'terminating' && (ways?.lossy.length ?? 0) > 0);
}

function isMeasured({ health, ways }: InstanceEvidence): boolean {
  return health !== 'terminating' && ways !== undefined && ways.lossy.length + ways.clear.length > 0;
}

const isSilence = ({ kind }: Symptom) => kind === 'unreachable';

function saysOf({ symptoms }: InstanceEvidence, kind: string): string[] {
  return symptoms.filter((one) => one.kind === kind && one.confirmed).map(({ says }) => says);
}
