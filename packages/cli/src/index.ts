export type { Session } from '@kurator/command';
export {
  inSomeCluster,
  overwritingOptions,
  runningOptions,
  waitingOptions,
  watchNamespaceOption,
} from './deploy/options.ts';
export { createProgram, runCommandLine, runProcess } from './program.ts';
