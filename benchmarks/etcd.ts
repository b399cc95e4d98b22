/**
 * Clusters of etcd in the care of operators/etcd, written to while something happens to them, and judged by etcd's own validator:
 * `npm run bench -- etcd --help`.
 */
import { bringGoPrograms, goPrograms } from '../scripts/stages/go-programs.mjs';

const isOfEtcd = ({ variable }: { variable: string }) => variable.startsWith('KURATOR_TEST_ETCD');
// Whoever loads what follows finds them there.
if (!process.argv.includes('--help')) Object.assign(process.env, await bringGoPrograms(goPrograms.filter(isOfEtcd)));
const { run } = await import('./etcd/run.ts');
await run(process.argv.slice(2));
