/** What `kubectl wait` and alerts go by: whether the cluster serves, is as wanted, can have quorum again, and is well declared. */
import type { ConditionClaim } from '@kurator/sdk';
import { adviceOf } from './advice.ts';
import type { Situation } from './brain/situation.ts';
import type { EtcdCluster } from './resources.ts';

/** What conditions are made of. */
export interface ConditionFacts {
  readonly listing: Situation['listing'];
  readonly formed: boolean;
  /** Whether everything is as the spec wants it. */
  readonly isDone: boolean;
  readonly phase: string;
  /** What is done or waited for. */
  readonly text: string;
  readonly well: number;
  readonly voters: number;
}

export function conditionsOf(cluster: EtcdCluster, facts: ConditionFacts): readonly ConditionClaim[] {
  const { listing, formed, isDone, phase, text, well, voters } = facts;
  const answering = `${well} of ${voters} members answer`;
  const ready = isDone ? AS_WANTED : ({ status: 'False', reason: phase } as const);
  const lost = formed && !listing ? LOST : NOT_LOST;
  const message = listing ? answering : text;
  return [
    { type: 'Available', ...availability(facts), message },
    { type: 'Ready', ...ready, message: isDone ? answering : text },
    { type: 'QuorumLost', ...lost, message },
    { type: 'Progressing', ...holds(phase === 'Creating' || phase === 'Changing', phase), message: text },
    { type: 'Degraded', ...holds(phase === 'Degraded' || phase === 'QuorumLost', phase), message: text },
    configuredOf(cluster),
  ];
}

const holds = (does: boolean, reason: string) => ({ status: does ? 'True' : 'False', reason }) as const;

function availability({ listing, formed }: ConditionFacts) {
  if (listing) return { status: 'True', reason: 'Quorum' } as const;
  return formed ? ({ status: 'False', reason: 'NoQuorum' } as const) : NOT_YET;
}

/** What is declared, and would better be declared otherwise. */
function configuredOf(cluster: EtcdCluster): ConditionClaim {
  const [advice] = adviceOf(cluster);
  return { type: 'Configured', status: 'True', ...(advice ?? AS_DECLARED) };
}

const AS_DECLARED = { reason: 'AsDeclared', message: 'nothing to say of the spec' };
const AS_WANTED = { status: 'True', reason: 'AsWanted' } as const;
const NOT_YET = { status: 'Unknown', reason: 'Creating' } as const;
const LOST = { status: 'True', reason: 'NoQuorum' } as const;
const NOT_LOST = { status: 'False', reason: 'Quorum' } as const;
