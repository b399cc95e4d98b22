#!/usr/bin/env node
/** `kubectl kurator`: kubectl runs a program of this name for it. */
import { keepCompiled } from './keep-compiled.ts';

keepCompiled();
const { runProcess } = await import('./process.ts');
const { createPlugin } = await import('./program.ts');
await runProcess(createPlugin);
