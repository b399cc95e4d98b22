/**
 * The brain of the self-healer: pure functions of what a person wants, what was seen, what is remembered, and what time
 * it is. It asks no clock, opens no connection and knows no API object: plain data in, plain data out, so that a year of
 * faults runs in a second, and any incident can be replayed.
 *
 * ```
 *   check results ──► perceive ──► Perception          rows, baselines, losses: in memory, lost in a crash, harmless
 *   (nextCheck says        │
 *    when to run them)     ▼
 *   Observation ───────► detect ──► Evidence            how each instance is, and every symptom of it
 *   (from watches)         │
 *                          ▼
 *                       diagnose ──► Diagnosis          one cause, with the reasons for it
 *                          │
 *   History ───────────► decide ──► Move                by the incident's stage: the ladder, behind gates
 *   (in the API server)    │                            ▲ ClusterView: budget and storm, from a survey of all
 *                          ▼
 *                        think ──► Thought              ┌ 1. history: written first, all of it or nothing
 *                                                       ├ 2. actions: carried out at most once by id, outcome reported
 *                                                       ├ 3. notices to dependants, notifications and warnings to people
 *                                                       └ 4. until: when to think again
 *
 *   metrics ───────────► scale ──► ScalingDecision      beside all this, and held back by it
 * ```
 *
 * The rules that it never breaks are in docs/explanation/healing.md; simulation/rules.test.ts holds each of them.
 */

export type { Notification, Severity, Warning } from './alerts/notification.ts';
export { manners } from './alerts/policy.ts';
export { certificateThresholds } from './alerts/warnings.ts';
export { type ServiceSummary, summarise } from './cluster/summary.ts';
export {
  type ClusterHistory,
  type ClusterView,
  type NamespaceShare,
  refuses,
  type Survey,
  survey,
  viewFor,
  withOneMore,
} from './cluster/survey.ts';
export { cycleInWords, type Dependencies, type DependencyOrder, dependantsOf, orderOf } from './dependencies/graph.ts';
export { type Cause, type Confidence, causeInWords, type Diagnosis } from './diagnosis/cause.ts';
export { diagnose } from './diagnosis/diagnose.ts';
export type { DiagnosisInput, Revisions } from './diagnosis/rule.ts';
export { blindAfter, detect } from './evidence/detect.ts';
export type { Condition, Evidence, InstanceEvidence, InstanceHealth, Ways } from './evidence/evidence.ts';
export { mannerOfError, type Symptom, type SymptomKind } from './evidence/symptom.ts';
export { explain, type StoryLine, timeline } from './explain.ts';
export { type Figures, figures } from './figures.ts';
export { type ClosedIncident, freshHistory, type History } from './incident/history.ts';
export type {
  Action,
  ActionOutcome,
  ActionResult,
  ActionTarget,
  Attempt,
  HeldBy,
  Hold,
  Impact,
  Incident,
  Notice,
  Proposal,
  Transition,
} from './incident/incident.ts';
export { unsettled } from './incident/incident.ts';
export { mayFollow, type Stage } from './incident/stage.ts';
export * from './observation.ts';
export { type CheckSituation, paceOf } from './pace.ts';
export { type NextCheck, nextCheck, type PaceState, slowestAllowed } from './perception/next-check.ts';
export { windowSize as lossWindowSize } from './perception/packet-loss.ts';
export { freshPerception, type News, type Perception, perceive, theOperator } from './perception/perception.ts';
export { decide } from './recovery/decide.ts';
export { ladders } from './recovery/ladder.ts';
export type { Move, Situation } from './recovery/situation.ts';
export { type Obstacle, type Withdrawal, withdraw } from './recovery/withdraw.ts';
export { decideAgain, type Moment, type Replay } from './replay.ts';
export {
  type Advice,
  freshScalingMemory,
  type ScalingDecision,
  type ScalingInstance,
  type ScalingMemory,
  type ScalingMetrics,
  scale,
} from './scaling/scale.ts';
export * from './spec.ts';
export {
  type CheckInput,
  checkSpec,
  clusterDefaults,
  type RecoveryInput,
  type ScalingInput,
  type ServiceInput,
  serviceSpec,
} from './spec-defaults.ts';
export { type Decision, type Thought, type ThoughtInput, think } from './think.ts';
export { day, hour, type Interval, inWords, type Millis, minute, second, within } from './time.ts';
