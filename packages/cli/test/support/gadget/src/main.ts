/** An operator to build and deploy: it starts a thread, reads a file, and has a field less when GADGET is `smaller`. */
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { ConfigMap, operator, resource, z } from '@kurator/sdk';

const fields = { size: z.int(), ...(process.env.GADGET === 'smaller' ? {} : { colour: z.string().optional() }) };
const Gadget = resource({ group: 'deploy-test.example.com', version: 'v1', kind: 'Gadget', spec: z.object(fields) });

export function greet(): Worker {
  return new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: readFileSync(new URL('../data/greeting.txt', import.meta.url), 'utf8'),
  });
}

if (process.argv.includes('--greet')) greet().once('message', (text) => process.stdout.write(text));
else {
  await operator({ name: 'gadget-operator' })
    .controller(Gadget)
    .owns(ConfigMap)
    .validate(() => undefined)
    .reconcile(async () => undefined)
    .run();
}
