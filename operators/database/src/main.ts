/** The operator; or, as a container beside postgres, the brain of an instance. */
import { BRAIN } from './identity.ts';

if (process.argv.includes(BRAIN)) {
  const { runBrain } = await import('./instance/run-brain.ts');
  await runBrain();
} else {
  const { database } = await import('./index.ts');
  await database.run();
}
