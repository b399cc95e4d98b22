/** The agent as a program, and the key that it shares with the operator. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { shortestKey } from './message.ts';
import { createAgent } from './serve-agent.ts';

/** The port that agents listen on. */
export const agentPort = 9180;
/** Names the file with the key that operator and agents share; without it the operator asks no agents. */
export const keyFileVariable = 'KURATOR_AGENT_KEY_FILE';

type Environment = Readonly<Record<string, string | undefined>>;

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

/** The key in a file. Throws for one that could be guessed. */
export async function keyIn(file: string): Promise<string> {
  const key = (await readFile(file, 'utf8')).trim();
  if (key.length >= shortestKey) return key;
  throw new Error(`the key in ${file} has ${key.length} characters: it needs ${shortestKey} or more`);
}
