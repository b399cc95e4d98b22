#!/usr/bin/env node
/** The `kurator` command. */
import { keepCompiled } from '@kurator/command/compile-cache';

keepCompiled();
const { runProcess } = await import('./index.ts');
await runProcess();
