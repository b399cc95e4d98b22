import { type Client, serverVersion, versionSkew } from '@kurator/client';
import type { Runnable } from '../runnable.ts';

/** Says once, in the log, which version the API server is, and what to expect if that is far from ours. */
export function serverAge(client: Client): Runnable {
  return {
    name: 'server version',
    async run({ stop, logger }) {
      try {
        const version = await serverVersion(client, { signal: stop });
        const skew = versionSkew(version);
        if (skew) logger.warn({ version: version.text }, skew);
        else logger.debug({ version: version.text }, 'the API server has a version that this operator was made for');
      } catch (error) {
        // It may be forbidden to ask, and it is no reason to stop.
        if (!stop.aborted) logger.debug({ error }, "could not ask for the API server's version");
      }
    },
  };
}
