/** The self-healer, as far as others need its parts. */

export type { AgentsSettings } from './agent/agents.ts';
export { type AgentSettings, agentDaemonSet, agentKey } from './agent/manifests.ts';
export type {
  Check,
  CheckKey,
  ExecProbe,
  GrpcProbe,
  HttpExpectation,
  HttpProbe,
  Probe,
  TcpProbe,
  TlsSettings,
} from './checks/check.ts';
export type { CheckResult, Measurement } from './checks/check-result.ts';
export { CheckScheduler, type CheckSchedulerOptions } from './checks/check-scheduler.ts';
export type { CheckClock } from './checks/clock.ts';
export { type ErrorKind, errorKinds, type Outcome } from './checks/error-kind.ts';
export type { Exec, ExecRequest } from './checks/probes/exec-probe.ts';
export { latenessAt, latenessBounds } from './checks/scheduler/lateness.ts';
export type { CheckStatistics } from './checks/scheduler/statistics.ts';
export type { Alerting, Others } from './healing/alerting.ts';
export { healer } from './healing/healer.ts';
export { limitsFrom } from './healing/limits.ts';
export { type OptionalRole, optionalRoles, type WithheldRole, withheldRoles } from './healing/optional-roles.ts';
export type { WardOptions } from './healing/ward.ts';
export { AlertChannel } from './resources/alert-channel.ts';
export { Incident } from './resources/incident.ts';
export { Kurator } from './resources/kurator.ts';
export { KuratorSwitch } from './resources/kurator-switch.ts';
