/**
 * `npm start` and `npm test` set up what they need. Whoever sits at a terminal is asked before anything is installed on
 * the machine; where nobody can be asked, having started them is the consent.
 *
 * @param {{ env?: NodeJS.ProcessEnv, isTerminal?: boolean }} [from]
 * @returns {NodeJS.ProcessEnv} what the environment of the `kurator` command has to have for that
 */
export function consentToInstall({ env = process.env, isTerminal = process.stdin.isTTY && process.stderr.isTTY } = {}) {
  return isTerminal || env.KURATOR_INSTALL ? {} : { KURATOR_INSTALL: 'yes' };
}
