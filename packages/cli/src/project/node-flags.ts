/** How Node runs a project's own code. */
import { realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';

/**
 * The flags of this process (in a clone they lead to the packages' sources), unless the project has the packages
 * installed: Node runs no TypeScript below node_modules.
 */
export async function nodeFlags(projectFolder: string): Promise<string[]> {
  const sdk = await realpath(join(projectFolder, 'node_modules', '@kurator', 'sdk')).catch(() => undefined);
  const isInstalled = sdk === undefined || sdk.includes(`${sep}node_modules${sep}`);
  return [...(isInstalled ? [] : process.execArgv), '--disable-warning=ExperimentalWarning'];
}
