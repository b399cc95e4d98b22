/** Whether Debian packages may be installed on this machine: only where somebody has said so. */
import { which } from '../internal/which.ts';
import { findTools, missingPackages } from './tools.ts';

/** What nobody was asked for is decided by the environment: `KURATOR_INSTALL`, or `CI=true` where that says nothing. */
export function mayInstall(env: NodeJS.ProcessEnv): boolean {
  return env.KURATOR_INSTALL ? env.KURATOR_INSTALL === 'yes' : env.CI === 'true';
}

/** The Debian packages that would be installed for nodes; none where all is there, or where they can't be installed. */
export async function missingNodePackages(): Promise<string[]> {
  if (process.getuid?.() !== 0 || !(await which('apt-get'))) return [];
  const { required, extra } = missingPackages(await findTools());
  return [...required, ...extra];
}
