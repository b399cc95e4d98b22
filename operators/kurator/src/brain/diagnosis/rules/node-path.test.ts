/** Who is to blame for lost packets, seen from several nodes: one pod on each of three, the operator beside one of them. */
import { describe, expect, it } from 'vitest';
import type { Evidence, InstanceEvidence } from '../../evidence/evidence.ts';
import type { DiagnosisInput } from '../rule.ts';
import { lossEverywhere, packetLoss } from './network.ts';
import { nodePath } from './node-path.ts';

const nodes = ['n1', 'n2', 'n3'];

/** @param isLossy By the vantage point and the node of the pod; undefined where it was not measured. */
function seenWith(
  isLossy: (from: string, to: string) => boolean | undefined,
  vantage = ['operator', ...nodes],
): DiagnosisInput {
  const instances = nodes.map((node): InstanceEvidence => {
    const lossy = vantage.filter((from) => isLossy(from, node) === true);
    const clear = vantage.filter((from) => isLossy(from, node) === false);
    const symptom = { kind: 'loss', confirmed: true, since: 0, says: `loss to ${node}`, instance: node } as const;
    return {
      name: node,
      uid: `pod-${node}`,
      node,
      revision: 'r',
      createdAt: 0,
      ready: true,
      health: lossy.length > 0 ? 'impaired' : 'healthy',
      symptoms: lossy.length > 0 ? [symptom] : [],
      ways: { lossy, clear, unclear: [], silent: [] },
    };
  });
  const symptoms = instances.flatMap((instance) => instance.symptoms);
  return { evidence: { instances, symptoms } as unknown as Evidence } as unknown as DiagnosisInput;
}

/** The first of the three that finds something, in the order of the diagnosis. */
const causeOf = (input: DiagnosisInput) => {
  const finding = nodePath(input) ?? lossEverywhere(input) ?? packetLoss(input);
  return finding && [finding.cause, ...finding.affected];
};
/** The operator runs on a node; what loses packets is all that crosses the boundary of another, or of its own. */
const around = (bad: string, operatorOn: string) => (from: string, to: string) =>
  ((from === 'operator' ? operatorOn : from) === bad) !== (to === bad);

describe('lost packets', () => {
  it('are the node’s when they are lost on its way in and out', () => {
    expect(causeOf(seenWith(around('n2', 'n1')))).toEqual(['node', 'pod-n2']);
  });

  it('are the node’s also where the operator runs on it', () => {
    expect(causeOf(seenWith(around('n2', 'n2')))).toEqual(['node', 'pod-n2']);
  });

  it('are the pod’s when they are lost to it from everywhere, its own node included', () => {
    expect(causeOf(seenWith((_, to) => to === 'n2'))).toEqual(['packet-loss', 'pod-n2']);
  });

  it('are the network’s when they are lost between all nodes', () => {
    const between = (from: string, to: string) => (from === 'operator' ? 'n1' : from) !== to;
    expect(causeOf(seenWith(between))?.[0]).toBe('network');
  });

  it('are nobody’s here when only one vantage point loses them', () => {
    expect(causeOf(seenWith((from) => from === 'operator'))?.[0]).toBe('network');
  });

  it('are not said to be the node’s while its own agent is silent', () => {
    const silent = (from: string, to: string) => (from === 'n2' ? undefined : around('n2', 'n1')(from, to));
    expect(causeOf(seenWith(silent))).toEqual(['packet-loss', 'pod-n2']);
  });

  it('are told as before where there are no agents', () => {
    expect(causeOf(seenWith(around('n2', 'n1'), ['operator']))).toEqual(['packet-loss', 'pod-n2']);
  });

  it('are the network’s where two nodes are two ends of one way', () => {
    const input = seenWith((from, to) => (to === 'n3' || from === 'n3' ? undefined : from !== to), ['n1', 'n2']);
    expect(causeOf(input)?.[0]).toBe('network');
  });
});
