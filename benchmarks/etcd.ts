/**
 * Clusters of etcd in the care of operators/etcd, written to while something happens to them, and judged by etcd's own validator:
 * `npm run bench -- etcd --help`.
 */
import { bringGoPrograms, goPrograms } from '../scripts/stages/go-programs.mjs';
import { run } from './etcd/run.ts';

const judge = goPrograms.filter(({ variable }) => variable === 'KURATOR_TEST_ETCD_JUDGE');
if (!process.argv.includes('--help')) Object.assign(process.env, await bringGoPrograms(judge));
await run(process.argv.slice(2));
