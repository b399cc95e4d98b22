/** An operator as a process of its own, so that it can be sent signals and be seen to end. */
import { operator } from '../../src/index.ts';
import { Garden } from './garden.ts';

const { LEASE_NAMESPACE: namespace } = process.env;

await operator({ leaderElection: namespace ? { namespace } : false })
  .controller(Garden)
  .reconcile(() => ({ status: { planted: 42 } }))
  .run();
