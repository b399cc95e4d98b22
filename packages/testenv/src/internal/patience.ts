/** How long to wait for something on this machine, where an emulated or overloaded one needs longer than any other. */
import { TestenvError } from '../error.ts';

const VARIABLE = 'KURATOR_PATIENCE';

/** A deadline in milliseconds, times `KURATOR_PATIENCE`. That is a factor rather than a time: each deadline has its own reason. */
export function patient(milliseconds: number, env: NodeJS.ProcessEnv = process.env): number {
  const factor = Number(env[VARIABLE] || 1);
  if (factor >= 1 && factor <= 100) return milliseconds * factor;
  throw new TestenvError('KUR_TESTENV_BAD_SETTING', `${VARIABLE} is "${env[VARIABLE]}".`, {
    remedy: 'Set it to a number from 1 to 100, or leave it out.',
  });
}
