/** How the healer works: what can be set, and how whoever installs it says so in its environment. */
import { parseDuration, z } from '@kurator/sdk';
import type { ClusterSpec, Mode } from '../brain/spec.ts';
import { clusterDefaults } from '../brain/spec-defaults.ts';
import type { Millis } from '../brain/time.ts';
import { keyFileVariable, keyIn } from '../senses/agents/agent-program.ts';
import type { AgentsSettings } from '../senses/agents/node-agents.ts';
import { given } from '../senses/service-spec.ts';
import type { Alerting } from '../voice/alerts/alerting.ts';

/** How the healer works; everything has a default. */
export interface HealerOptions {
  /** Budgets and storms for all services together. */
  readonly cluster?: ClusterSpec;
  readonly alerting?: Alerting;
  /** What the cluster's switch is set to where nobody has set it; it is left alone, and missing means `On`, unless given. */
  readonly mode?: Mode;
  /** Agents on the nodes, which look from elsewhere; none are asked unless given. */
  readonly agents?: AgentsSettings;
  /** Threads for checks; see the scheduler. */
  readonly threads?: number;
  readonly now?: () => Millis;
  /** Addresses and ranges that may be talked to though they are the operator's own, the link's, a node's or the API server's. */
  readonly allowAddresses?: readonly string[];
  /** Whether checks and metrics of pods in their node's network are asked for at the node's address; not unless given. */
  readonly hostNetworkChecks?: boolean;
}

/** What the cluster's switch is set to where nobody has set it; see KuratorSwitch. */
const modeVariable = 'KURATOR_MODE';
const modes: readonly Mode[] = ['Off', 'Observe', 'On'];
/** Addresses and ranges, with commas between, that may be talked to though they are refused otherwise. */
const allowVariable = 'KURATOR_ALLOW_ADDRESSES';
/** `true` where pods in their node's network are asked at its address. */
const hostNetworkVariable = 'KURATOR_HOST_NETWORK_CHECKS';

/** How much may be done in the whole cluster, as JSON. */
const limitsVariable = 'KURATOR_LIMITS';

/** How the healer works, by its environment. */
export async function healerOptionsFrom(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<HealerOptions> {
  const file = environment[keyFileVariable];
  const mode = environment[modeVariable];
  const allowAddresses = environment[allowVariable]?.split(',').filter((range) => range !== '');
  const limits = environment[limitsVariable];
  return {
    ...(limits && { cluster: limitsFrom(limits) }),
    ...(file && { agents: { key: await keyIn(file) } }),
    ...(mode && { mode: modeNamed(mode) }),
    ...(allowAddresses && { allowAddresses }),
    hostNetworkChecks: environment[hostNetworkVariable] === 'true',
  };
}

function modeNamed(text: string): Mode {
  const mode = modes.find((one) => one === text);
  if (mode) return mode;
  throw new Error(`${modeVariable} is "${text}": it must be one of ${modes.join(', ')}`);
}

const length = z.string().transform((text, context) => {
  try {
    return parseDuration(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'must be a length of time such as 10m' });
    return z.NEVER;
  }
});
const share = z.number().min(0).max(1);
const count = z.int().min(1);

const fields = z.strictObject({
  repairs: z.int().min(0).optional(),
  per: length.optional(),
  concurrent: count.optional(),
  namespaceShare: share.optional(),
  storm: z
    .strictObject({ share, services: count, within: length, concurrent: count, coolDown: length, calm: length })
    .partial()
    .optional(),
});

/**
 * The limits of a whole cluster. Throws for what is none, and names it.
 *
 * @param text JSON: `{"repairs":60,"per":"1h","concurrent":5,"storm":{"share":0.3}}`; what is left out has its default.
 */
export function limitsFrom(text: string): ClusterSpec {
  const parsed = fields.safeParse(jsonIn(text));
  if (!parsed.success) throw new Error(`the limits are not as they should be: ${z.prettifyError(parsed.error)}`);
  const { repairs, per, storm, ...rest } = given(parsed.data);
  const budget = given({ repairs, per });
  return {
    ...clusterDefaults,
    ...rest,
    budget: { ...clusterDefaults.budget, ...budget },
    storm: { ...clusterDefaults.storm, ...given(storm ?? {}) },
  };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error('the limits are no JSON: write {"concurrent":5}', { cause });
  }
}
