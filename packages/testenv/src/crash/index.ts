/** Crash at every step, for any operator. */
export { type CrashOptions, type CrashScenario, everyCrash } from './every-crash.ts';
export type { AnyObject, Normalise } from './internal/end-state.ts';
export type { CrashWorld } from './internal/life.ts';
export type { OperatorProgram } from './internal/operator-process.ts';
export type { CrashMoment, Plan } from './internal/plan.ts';
export type { CrashReport, PlanResult } from './internal/report.ts';
