#!/usr/bin/env node
/** Completion of `kubectl kurator`: kubectl runs a program called kubectl_complete-kurator with what has been typed. */
import { keepCompiled } from './keep-compiled.ts';

keepCompiled();
const { createPlugin } = await import('./program.ts');
const { completions } = await import('./completion/complete.ts');
const nobody = { write() {} };
const session = { stdout: nobody, stderr: nobody, signal: new AbortController().signal, exit() {} };
const found = await completions(createPlugin(session), process.argv.slice(2));
/** kubectl's word for: these are all there is, and files are not among them. */
const NO_FILES = ':4';
process.stdout.write(`${[...found, NO_FILES].join('\n')}\n`);
