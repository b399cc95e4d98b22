/** What is installed on the machine itself is installed after a yes. */

import { questions } from '@kurator/command';
import { mayInstall, missingNodePackages } from '@kurator/testenv';

/**
 * Whether missing Debian packages may be installed: as `--install` and `--no-install` say; otherwise as the environment
 * says; otherwise as a person says, if somebody is there. Undefined where nobody says anything, which is a no.
 *
 * @param told What the flags say.
 */
export async function agreeToInstall(
  told: boolean | undefined,
  { env = process.env, asked = questions(), missing = missingNodePackages } = {},
): Promise<boolean | undefined> {
  if (told !== undefined || mayInstall(env) || !asked) return told;
  const packages = await missing();
  if (packages.length === 0) return undefined;
  return await asked.confirm(`Nodes need Debian packages: install ${packages.join(', ')} with apt-get?`);
}
