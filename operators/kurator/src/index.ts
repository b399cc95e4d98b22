/** The self-healer, as far as others need its parts. */

export { type OptionalRole, optionalRoles, type WithheldRole, withheldRoles } from './access/optional-roles.ts';
export { healer } from './healer/healer.ts';
export type { HealerOptions } from './healer/options.ts';
export { limitsFrom } from './healer/options.ts';
export { AlertChannel } from './resources/alert-channel.ts';
export { Incident } from './resources/incident.ts';
export { Kurator } from './resources/kurator.ts';
export { KuratorSwitch } from './resources/kurator-switch.ts';
export { type AgentSettings, agentDaemonSet, agentKey } from './senses/agents/daemon-set.ts';
export type { AgentsSettings } from './senses/agents/node-agents.ts';
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
} from './senses/checks/check.ts';
export type { CheckResult, Measurement } from './senses/checks/check-result.ts';
export { CheckScheduler, type CheckSchedulerOptions } from './senses/checks/check-scheduler.ts';
export type { CheckClock } from './senses/checks/clock.ts';
export { type ErrorKind, errorKinds, type Outcome } from './senses/checks/error-kind.ts';
export type { Exec, ExecRequest } from './senses/checks/probes/exec-probe.ts';
export type { CheckStatistics } from './senses/checks/scheduler/statistics.ts';
export { latenessAt, latenessBounds } from './senses/checks/scheduler/statistics.ts';
export type { Alerting, Others } from './voice/alerts/alerting.ts';
