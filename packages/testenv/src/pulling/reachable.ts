/** Whether a node gets through to the mirror: a firewall of the machine may stand between. */
import { run } from '../internal/run.ts';

/** The command line that runs a command where the node is. */
export type Entering = (command: string, args: readonly string[]) => [string, string[]];

/** In milliseconds: enough for a busy machine to start a process, and for several SYNs. */
const PATIENCE = 15_000;

/** Connects to the mirror from where `enter` leads; false where that takes seconds, as it does when packets are dropped. */
export async function canReach(url: string, enter: Entering): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const connect = `require('node:net').connect(${port}, '${hostname}').once('connect', () => process.exit(0))`;
  const [command, args] = enter(process.execPath, ['-e', connect]);
  return await run(command, args, { timeout: PATIENCE }).then(
    () => true,
    () => false,
  );
}
