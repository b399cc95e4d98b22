/** A first Kurator for a workload that is there, from its probes and ports; with what was inferred from what. Pure. */
import type { Container, Deployment, Probe, StatefulSet } from '@kurator/client';

/** What a Kurator can look after. */
export type Workload = Deployment | StatefulSet;

/** The manifest of a Kurator. */
export interface Adoption {
  readonly manifest: {
    readonly apiVersion: string;
    readonly kind: 'Kurator';
    readonly metadata: { readonly name: string; readonly namespace: string };
    readonly spec: Readonly<Record<string, unknown>>;
  };
  /** One sentence for each thing that was inferred, and for each that its reader should know. */
  readonly notes: readonly string[];
}

type Check = Readonly<Record<string, unknown>>;

/** Writes one. */
export function adoption(kind: Workload['kind'], { metadata, spec }: Workload): Adoption {
  const name = metadata.name ?? '';
  const containers = spec?.template.spec?.containers ?? [];
  const notes: string[] = [];
  const checks = checksOf(containers, notes);
  const startupGrace = graceOf(containers, notes);
  const gitOps = gitOpsOf(metadata.labels, metadata.annotations);
  if (gitOps) notes.push(`${gitOps} keeps it: a roll-back wants your approval, or ${gitOps} would undo it`);
  return {
    manifest: {
      apiVersion: 'kurator.sh/v1alpha1',
      kind: 'Kurator',
      metadata: { name, namespace: metadata.namespace ?? 'default' },
      spec: {
        targetRef: { kind, name },
        checks,
        ...(startupGrace && { startupGrace }),
        ...(gitOps && { recovery: { steps: { rollback: { approval: true } } } }),
      },
    },
    notes,
  };
}

/** By the first container that says anything: the others are usually beside it. */
function checksOf(containers: readonly Container[], notes: string[]): Check[] {
  for (const container of containers) {
    const probed = [
      ['ready', 'readinessProbe', container.readinessProbe] as const,
      ['live', 'livenessProbe', container.livenessProbe] as const,
    ].flatMap(([name, field, probe]) => {
      const check = probe && checkOf(probe, container.name);
      return check ? [{ name, field, check, probe }] : [];
    });
    const [first, second] = probed;
    if (!first) continue;
    const isSame = second && JSON.stringify(first.check) === JSON.stringify(second.check);
    const used = isSame ? [first] : probed;
    for (const { name, field, check } of used) {
      notes.push(`check ${name}: from the ${field} of container ${container.name}${warningOf(check)}`);
    }
    return used.map(({ name, check, probe }) => ({ name, ...check, ...pace(probe) }));
  }
  const check = byPort(containers, notes);
  return check ? [check] : [];
}

function byPort(containers: readonly Container[], notes: string[]): Check | undefined {
  for (const { name, ports = [] } of containers) {
    const port = ports.find(({ protocol = 'TCP' }) => protocol === 'TCP');
    if (!port) continue;
    notes.push(`check port: no probe is there, so only whether port ${port.containerPort} of container ${name} opens`);
    return { name: 'port', tcp: { port: port.name ?? port.containerPort } };
  }
  notes.push('no check: neither probe nor port is there, so only what Kubernetes says is known of it');
  return undefined;
}

/** How it asks; undefined for a probe that says nothing. */
function checkOf({ httpGet, tcpSocket, grpc, exec }: Probe, container: string): Check | undefined {
  if (httpGet) {
    const { path, port, scheme, host, httpHeaders = [] } = httpGet;
    const headers = Object.fromEntries(httpHeaders.map(({ name, value }) => [name, value]));
    return {
      http: {
        port,
        ...(path && { path: path.startsWith('/') ? path : `/${path}` }),
        ...(host && { host }),
        ...(httpHeaders.length > 0 && { headers }),
        // As kubelets do it.
        ...(scheme === 'HTTPS' && { tls: { skipVerify: true } }),
      },
    };
  }
  if (tcpSocket) return { tcp: { port: tcpSocket.port } };
  if (grpc) return { grpc: { port: grpc.port, ...(grpc.service && { service: grpc.service }) } };
  return exec?.command ? { exec: { command: exec.command, container } } : undefined;
}

function warningOf(check: Check): string {
  if ('exec' in check) return '; a command needs the optional role exec (chart value kurator.roles.exec)';
  const { tls } = (check.http ?? {}) as { tls?: object };
  return tls ? '; the certificate is not verified, as the kubelet does not' : '';
}

/** Within what a Kurator allows. */
function pace({ periodSeconds = 10, timeoutSeconds = 1, failureThreshold = 3 }: Probe): Check {
  const period = Math.min(3600, periodSeconds);
  return {
    period: `${period}s`,
    timeout: `${Math.min(period, timeoutSeconds, 600)}s`,
    failAfter: Math.min(100, failureThreshold),
  };
}

/** Kurator's own is 30 s: only what takes longer is said. */
const usualGrace = 30;

function graceOf(containers: readonly Container[], notes: string[]): string | undefined {
  const waits = containers.map(({ startupProbe, readinessProbe, livenessProbe }) => {
    const { failureThreshold = 3, periodSeconds = 10, initialDelaySeconds = 0 } = startupProbe ?? {};
    const started = startupProbe ? initialDelaySeconds + failureThreshold * periodSeconds : 0;
    return Math.max(started, readinessProbe?.initialDelaySeconds ?? 0, livenessProbe?.initialDelaySeconds ?? 0);
  });
  const longest = Math.min(3600, Math.max(0, ...waits));
  if (longest <= usualGrace) return undefined;
  notes.push(`startupGrace: ${longest} s, as long as its probes give it to start`);
  return `${longest}s`;
}

/** Who would put back what a roll-back changes; by the marks that they leave. */
function gitOpsOf(labels: Record<string, string> = {}, annotations: Record<string, string> = {}): string | undefined {
  if ('argocd.argoproj.io/tracking-id' in annotations || 'argocd.argoproj.io/instance' in labels) return 'Argo CD';
  const isFlux = Object.keys(labels).some((key) => /^(kustomize|helm)\.toolkit\.fluxcd\.io\/name$/.test(key));
  return isFlux ? 'Flux' : undefined;
}
