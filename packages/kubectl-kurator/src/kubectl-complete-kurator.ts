#!/usr/bin/env node
/** Completion of `kubectl kurator`: kubectl runs a program called kubectl_complete-kurator with what has been typed. */
import { keepCompiled } from '@kurator/command/compile-cache';

keepCompiled();
const { completionAnswer } = await import('@kurator/command');
const { createPlugin } = await import('./plugin.ts');
const nobody = { write() {} };
const session = { stdout: nobody, stderr: nobody, signal: new AbortController().signal, exit() {} };
process.stdout.write(`${await completionAnswer(createPlugin(session), process.argv.slice(2))}\n`);
