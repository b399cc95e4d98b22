#!/usr/bin/env node
/** The `kurator` command. */
import { keepCompiled } from './keep-compiled.ts';

keepCompiled();
const { runProcess } = await import('./process.ts');
await runProcess();
