/** The operator; or, as a container beside a snapshot, what handles that. */
import { AGENT } from './backups/task.ts';

if (process.argv.includes(AGENT)) {
  const { runAgent } = await import('./backups/agent/main.ts');
  await runAgent();
} else {
  const { etcd } = await import('./index.ts');
  await etcd.run();
}
