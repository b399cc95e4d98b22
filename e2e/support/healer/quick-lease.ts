/** The healer as its users run it, but for one thing: the replicas notice sooner that one of them is gone. */
import { healer } from '@kurator/operator-kurator';

await healer().run({ leaderElection: { leaseDuration: '6s', renewDeadline: '5s', retryPeriod: '500ms' } });
