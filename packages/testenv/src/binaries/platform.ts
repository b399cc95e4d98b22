import { TestenvError } from '../error.ts';

/** Operating system and processor in Go's words, as releases and builds name them. */
export interface Platform {
  readonly os: 'linux' | 'darwin';
  readonly arch: 'amd64' | 'arm64';
}

const systems: Readonly<Record<string, Platform['os']>> = { linux: 'linux', darwin: 'darwin' };
const processors: Readonly<Record<string, Platform['arch']>> = { x64: 'amd64', arm64: 'arm64' };

/** The platform of this process, or the one that Node's names describe. */
export function platformOf(system: string = process.platform, processor: string = process.arch): Platform {
  const [os, arch] = [systems[system], processors[processor]];
  if (os && arch) return { os, arch };
  throw new TestenvError(
    'KUR_TESTENV_PLATFORM',
    `There are no Kubernetes programs for ${system} on ${processor} here.`,
    {
      remedy: 'Use Linux or macOS on an x64 or arm64 processor, or name a folder that holds the programs.',
    },
  );
}
