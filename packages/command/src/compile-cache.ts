/** Keeps what Node has compiled: a third of the time of a quick command would go into compiling it again. */
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** To be called before anything else is imported. Where the folder can't be written, so be it. */
export function keepCompiled(): void {
  enableCompileCache(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'kurator', 'compiled'));
}
