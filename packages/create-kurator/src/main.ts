#!/usr/bin/env node
/** `npm create kurator FOLDER -- --domain example.com`: `kurator init` for those who have nothing installed yet. */
import { runProcess } from '@kurator/cli';

process.argv.splice(2, 0, 'init');
await runProcess();
