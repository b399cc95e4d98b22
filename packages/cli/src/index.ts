export type { Session } from './action.ts';
export { runProcess } from './process.ts';
export { createProgram, runCommandLine } from './program.ts';
