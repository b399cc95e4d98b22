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
  const gitOps = gitOpsOf(metadata);
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
      const asked = probe && checkOf(probe, container.name);
      return asked ? [{ name, field, probe, ...asked }] : [];
    });
    const [first, second] = probed;
    if (!first) continue;
    const isSame = second && JSON.stringify(first.check) === JSON.stringify(second.check);
    const used = isSame ? [first] : probed;
    for (const { name, field, check, left = [] } of used) {
      const said = [`check ${name}: from the ${field} of container ${container.name}${warningOf(check)}`, ...left];
      notes.push(said.join('; '));
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

/** A check, and what of a probe it can't have. */
interface Asked {
  readonly check: Check;
  readonly left?: readonly string[];
}

/** How it asks; undefined for a probe that says nothing. */
function checkOf({ httpGet, tcpSocket, grpc, exec }: Probe, container: string): Asked | undefined {
  if (httpGet) return httpCheckOf(httpGet);
  if (tcpSocket) return { check: { tcp: { port: tcpSocket.port } } };
  if (grpc) return { check: { grpc: { port: grpc.port, ...(grpc.service && { service: grpc.service }) } } };
  return exec?.command ? { check: { exec: { command: exec.command, container } } } : undefined;
}

/** Headers that a check sets itself, and refuses to be given. */
const ownHeaders = new Set(['connection', 'content-length', 'transfer-encoding', 'upgrade', 'te', 'trailer']);
/** What can be a Host header. */
const authority = /^(\[[0-9a-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i;

function httpCheckOf({ path, port, scheme, host, httpHeaders = [] }: NonNullable<Probe['httpGet']>): Asked {
  const isHost = ({ name }: { name: string }) => name.toLowerCase() === 'host';
  const asHost = httpHeaders.find(isHost)?.value;
  const isFit = asHost !== undefined && authority.test(asHost) && asHost.length <= 253;
  const given = httpHeaders.filter((header) => !isHost(header));
  const [own, headers] = [
    given.filter(({ name }) => ownHeaders.has(name.toLowerCase())),
    given.filter(({ name }) => !ownHeaders.has(name.toLowerCase())),
  ];
  const left = [...own.map(({ name }) => name), ...(asHost !== undefined && !isFit ? ['Host'] : [])];
  return {
    check: {
      http: {
        port,
        ...(path && { path: encoded(path.startsWith('/') ? path : `/${path}`) }),
        ...(isFit && { host: asHost }),
        ...(headers.length > 0 && { headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])) }),
        // As kubelets do it.
        ...(scheme === 'HTTPS' && { tls: { skipVerify: true } }),
      },
    },
    left: [
      ...left.map((name) => `its header ${name} is left out: a check sets that itself`),
      ...(host ? [`its host ${host} is left out: a check asks the pods`] : []),
    ],
  };
}

/** As it is sent: kubelets take a path as people write it. */
function encoded(path: string): string {
  return path.replace(/[^\x21-\x7e]/gu, encodeURIComponent);
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

/** Who would put back what a roll-back changes: by the marks that they leave, or by the name in which they write. */
function gitOpsOf({ labels = {}, annotations = {}, managedFields = [] }: Workload['metadata']): string | undefined {
  const keys = [...Object.keys(labels), ...Object.keys(annotations)];
  const byMark = keepers.find(({ mark }) => keys.some((key) => mark.test(key)));
  const byWriter = keepers.find(({ writer }) => managedFields.some(({ manager = '' }) => writer.test(manager)));
  return (byMark ?? byWriter)?.name;
}

/** Argo CD 2 marks what it keeps by `app.kubernetes.io/instance` alone. Charts use that label too: only the writer tells. */
const keepers = [
  { name: 'Argo CD', mark: /^argocd\.argoproj\.io\/(tracking-id|instance)$/, writer: /^argocd-/ },
  {
    name: 'Flux',
    mark: /^(kustomize|helm)\.toolkit\.fluxcd\.io\/name$/,
    writer: /^((kustomize|helm)-controller|flux)$/,
  },
] as const;
