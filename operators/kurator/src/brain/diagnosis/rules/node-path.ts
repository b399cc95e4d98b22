/**
 * Loss on the way into and out of one node: exactly those paths lose packets that cross its boundary. Only an agent on the
 * node can tell this from loss to the one pod that it has of a service.
 */
import type { InstanceEvidence } from '../../evidence/evidence.ts';
import { theOperator } from '../../perception/perception.ts';
import type { Rule } from '../rule.ts';

/** One path that was measured. */
interface Path {
  readonly from: string;
  readonly node: string;
  readonly isLossy: boolean;
}

/** From so many places outside the way in must be bad: from one alone, it may be that one's fault. */
const leastVantagePoints = 2;

export const nodePath: Rule = ({ evidence }) => {
  const live = evidence.instances.filter(({ health }) => health !== 'terminating');
  const paths = live.flatMap(pathsTo);
  if (!paths.some(({ isLossy }) => isLossy)) return undefined;
  const explaining = [...new Set(paths.map(({ node }) => node))].filter((node) => explains(node, paths));
  const [node] = explaining;
  // Two nodes that explain it are two ends of one way.
  if (node === undefined || explaining.length > 1) return undefined;
  const affected = live.filter((instance) => instance.node === node);
  const reasons = [
    `every path into or out of node ${node} loses packets, no path inside it does, and none between other nodes`,
    ...affected.flatMap(({ symptoms }) => symptoms.filter(({ kind }) => kind === 'loss').map(({ says }) => says)),
  ];
  return { cause: 'node', confidence: 'likely', affected: affected.map(({ uid }) => uid), reasons };
};

function pathsTo({ node, ways }: InstanceEvidence): Path[] {
  if (node === undefined || !ways) return [];
  const { lossy, clear } = ways;
  return [
    ...lossy.map((from) => ({ from, node, isLossy: true })),
    ...clear.map((from) => ({ from, node, isLossy: false })),
  ];
}

/** Where the operator itself runs is not known: it may be either. */
function explains(node: string, paths: readonly Path[]): boolean {
  const isSeenFromInside = paths.some((path) => path.node === node && path.from === node && !path.isLossy);
  return isSeenFromInside && [[node], [node, theOperator]].some((inside) => fits(node, inside, paths));
}

function fits(node: string, inside: readonly string[], paths: readonly Path[]): boolean {
  const crosses = (path: Path) => inside.includes(path.from) !== (path.node === node);
  const outside = new Set(paths.filter((path) => path.node === node && crosses(path)).map(({ from }) => from));
  return outside.size >= leastVantagePoints && paths.every((path) => path.isLossy === crosses(path));
}
