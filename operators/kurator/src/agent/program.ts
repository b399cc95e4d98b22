/** The agent as a program, and what both programs read from their environment. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Mode } from '../brain/spec.ts';
import { limitsFrom } from '../healing/limits.ts';
import type { WardOptions } from '../healing/ward.ts';
import { shortestKey } from './message.ts';
import { createAgent } from './serve-agent.ts';

/** The port that agents listen on. */
export const agentPort = 9180;
/** Names the file with the key that operator and agents share; without it the operator asks no agents. */
export const keyFileVariable = 'KURATOR_AGENT_KEY_FILE';

/** What the cluster's switch is set to where nobody has set it; see KuratorSwitch. */
const modeVariable = 'KURATOR_MODE';
const modes: readonly Mode[] = ['Off', 'Observe', 'On'];
/** Addresses and ranges, with commas between, that may be talked to though they are refused otherwise. */
const allowVariable = 'KURATOR_ALLOW_ADDRESSES';

/** How much may be done in the whole cluster, as JSON. */
const limitsVariable = 'KURATOR_LIMITS';

type Environment = Readonly<Record<string, string | undefined>>;

/** How the healer works, by its environment. */
export async function wardOptionsFrom(environment: Environment): Promise<WardOptions> {
  const file = environment[keyFileVariable];
  const mode = environment[modeVariable];
  const allowAddresses = environment[allowVariable]?.split(',').filter((range) => range !== '');
  const limits = environment[limitsVariable];
  return {
    ...(limits && { cluster: limitsFrom(limits) }),
    ...(file && { agents: { key: await keyIn(file) } }),
    ...(mode && { mode: modeNamed(mode) }),
    ...(allowAddresses && { allowAddresses }),
  };
}

function modeNamed(text: string): Mode {
  const mode = modes.find((one) => one === text);
  if (mode) return mode;
  throw new Error(`${modeVariable} is "${text}": it must be one of ${modes.join(', ')}`);
}

/** Serves until the process is told to end. */
export async function runAgent(environment: Environment): Promise<void> {
  const file = environment[keyFileVariable];
  if (!file) throw new Error(`the agent has no key: let ${keyFileVariable} name a file with one`);
  const agent = createAgent({ key: await keyIn(file) });
  agent.listen(agentPort);
  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  agent.closeAllConnections();
  agent.close();
}

async function keyIn(file: string): Promise<string> {
  const key = (await readFile(file, 'utf8')).trim();
  if (key.length >= shortestKey) return key;
  throw new Error(`the key in ${file} has ${key.length} characters: it needs ${shortestKey} or more`);
}
