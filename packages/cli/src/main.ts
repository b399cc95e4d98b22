#!/usr/bin/env node
/** The `kurator` command. */
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

// A third of the time of a quick command would go into compiling it again. Where the folder can't be written, so be it.
enableCompileCache(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'kurator', 'compiled'));

const { runProcess } = await import('./process.ts');
await runProcess();
