#!/usr/bin/env node
/** `kubectl kurator`: kubectl runs a program of this name for it. */
import { keepCompiled } from '@kurator/command/compile-cache';

keepCompiled();
const { runProcess } = await import('@kurator/command');
const { createPlugin } = await import('./plugin.ts');
await runProcess(createPlugin);
