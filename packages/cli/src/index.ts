export type { Session } from './action.ts';
export { createProgram, runCommandLine } from './program.ts';
