import { homedir } from 'node:os';
import { join } from 'node:path';

/** What can be made again at the cost of time: binaries, images. Safe to delete while no cluster runs. */
export function cacheFolder(...below: string[]): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'kurator', ...below);
}

/** What running clusters consist of: one folder a cluster. */
export function stateFolder(...below: string[]): string {
  return join(process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'kurator', ...below);
}
