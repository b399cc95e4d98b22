/** Runs a hundred TCP checks at once, and prints how they ended: started by tests, as a process with few descriptors. */
import { prepareProbe } from '../../../src/senses/checks/probes/prepare-probe.ts';

const start = prepareProbe({ kind: 'tcp', host: '127.0.0.1', port: Number(process.argv[2]) });
const kinds: Record<string, number> = {};
let left = 100;
for (let i = 0; i < 100; i++) {
  start(({ outcome, errorKind }) => {
    const kind = errorKind ?? outcome;
    kinds[kind] = (kinds[kind] ?? 0) + 1;
    left--;
    if (left === 0) process.stdout.write(JSON.stringify(kinds));
  });
}
