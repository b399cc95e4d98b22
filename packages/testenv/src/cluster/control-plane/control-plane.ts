/** etcd and the API server, with the controller manager and the scheduler beside them where they are wanted. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, createClient, loadKubeconfig } from '@kurator/client';
import type { Program } from '../../binaries/program.ts';
import { TestenvError } from '../../error.ts';
import { freePort } from '../../internal/free-port.ts';
import { patient } from '../../internal/patience.ts';
import { virtualServices } from '../../machines/addresses.ts';
import { type Component, createComponent } from '../../machines/component.ts';
import type { Machine } from '../../machines/machine.ts';
import {
  apiServerArguments,
  type ControlPlaneSettings,
  controllerManagerArguments,
  etcdArguments,
  schedulerArguments,
} from './arguments.ts';
import { createPki, identities, type Pki } from './pki.ts';

/** Who did what to which object, without the contents: enough to see an operator's every call, and no secret in it. */
/** Who did what to which object, without the contents: enough to see an operator's every call, and no secret in it. */
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: None
    users: ["system:apiserver"]
  - level: Metadata
`;

export interface ControlPlaneOptions {
  cluster: string;
  folder: string;
  logs: string;
  /** Where each program is. */
  program(name: Program): string;
  /** A machine of its own; without one it runs on this machine's loopback, for which nobody needs to be root. */
  machine?: Machine;
  /** The port on loopback; a free one unless given. On a machine of its own it is always 6443. */
  port?: number;
  controllers: boolean;
  audit: boolean;
  fastFailureDetection: boolean;
  extraApiServerArguments?: readonly string[];
}

export interface ControlPlane {
  readonly server: string;
  readonly pki: Pki;
  /** As administrator. */
  readonly client: Client;
  /** The administrator's, a file. */
  readonly kubeconfig: string;
  /** The controllers among them run once it is ready. */
  readonly components: readonly Component[];
  /**
   * Resolves when every role that Kubernetes brings is there, and the controllers, which can do nothing without theirs,
   * have been started.
   */
  readonly ready: Promise<void>;
}

const MACHINE_PORT = 6443;
const PORT_TRIES = 5;

/**
 * Gives a control plane that answers its administrator and lets nodes join. It is not `ready` then: the API server waits a
 * whole second before it makes its roles, in which nodes can start already.
 */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const etcdFolder = join(options.folder, 'etcd');
  await mkdir(etcdFolder, { recursive: true, mode: 0o700 });
  refuseLongSocket(join(etcdFolder, 'peer.sock'));
  const component = componentsOf(options);
  const etcd = component('etcd', etcdArguments({ etcdFolder }));
  await etcd.start();
  const { apiServer, settings, ...rest } = await startApiServer(options, etcdFolder, component);
  await etcd.assertRunning();

  const controllers = options.controllers ? await createControllers(settings, component) : [];
  const ready = untilOk(rest.client, apiServer, '/readyz').then(async () => {
    await Promise.all(controllers.map((controller) => controller.start()));
  });
  // Whoever awaits it hears of a failure; whoever gave up before that has another one to report.
  ready.catch(() => {});
  return { ...rest, pki: settings.pki, components: [etcd, apiServer, ...controllers], ready };
}

async function createControllers(settings: ControlPlaneSettings, component: ComponentFactory): Promise<Component[]> {
  const { pki } = settings;
  const [managerConfig, schedulerConfig] = await Promise.all([
    pki.writeKubeconfig('kube-controller-manager', identities.controllerManager),
    pki.writeKubeconfig('kube-scheduler', identities.scheduler),
  ]);
  return [
    component('kube-controller-manager', controllerManagerArguments(settings, managerConfig)),
    component('kube-scheduler', schedulerArguments(schedulerConfig)),
  ];
}

type ComponentFactory = (name: Program, args: readonly string[]) => Component;

function componentsOf({ program, logs, machine }: ControlPlaneOptions): ComponentFactory {
  return (name, args) =>
    createComponent({
      name,
      command: program(name),
      args,
      log: join(logs, `${name}.log`),
      ...(machine ? { machine } : {}),
    });
}

interface ApiServer {
  apiServer: Component;
  settings: ControlPlaneSettings;
  server: string;
  kubeconfig: string;
  client: Client;
}

/**
 * A port that is free now may be taken a moment later. So the server itself is the judge: when it says
 * that the port is taken, another one is tried.
 */
async function startApiServer(
  options: ControlPlaneOptions,
  etcdFolder: string,
  component: ComponentFactory,
): Promise<ApiServer> {
  for (let attempt = 1; ; attempt++) {
    const port = options.machine ? MACHINE_PORT : await portFor(options);
    const { settings, server } = await configureApiServer(options, etcdFolder, port);
    const apiServer = component('kube-apiserver', apiServerArguments(settings));
    const kubeconfig = await settings.pki.writeKubeconfig('admin', identities.admin);
    const client = createClient({ ...(await loadKubeconfig(kubeconfig)), proxyUrl: '' });
    await apiServer.start();
    try {
      await untilOk(client, apiServer, readyButForRoles);
      return { apiServer, settings, server, kubeconfig, client };
    } catch (error) {
      await Promise.all([apiServer.stop('SIGKILL'), client.close()]);
      if (!(error instanceof Error && error.message.includes('address already in use'))) throw error;
      if (options.port !== undefined || attempt === PORT_TRIES) throw portTaken(port, error);
    }
  }
}

/** These two begin a second late, by the API server's own clock. */
const readyButForRoles =
  '/readyz?exclude=poststarthook/rbac/bootstrap-roles&exclude=poststarthook/scheduling/bootstrap-system-priority-classes';

async function untilOk(client: Client, apiServer: Component, path: string): Promise<void> {
  const timeout = patient(90_000);
  const deadline = Date.now() + timeout;
  for (;;) {
    await apiServer.assertRunning();
    const answer = await client.raw('GET', path, { timeout: patient(2000) }).catch((error: unknown) => error);
    if (answer === 'ok') return;
    if (Date.now() > deadline) {
      throw new TestenvError(
        'KUR_TESTENV_TIMEOUT',
        `the API server was not ready after ${timeout / 1000} s; its log is ${apiServer.log}`,
        { remedy: 'on a slow or busy machine, wait longer: KURATOR_PATIENCE=4', cause: answer },
      );
    }
    await delay(20);
  }
}

async function configureApiServer(
  options: ControlPlaneOptions,
  etcdFolder: string,
  port: number,
): Promise<Pick<ApiServer, 'settings' | 'server'>> {
  const plan = options.machine?.network.plan;
  const address = plan?.controlPlane ?? '127.0.0.1';
  const server = `https://${address}:${port}`;
  const pki = await createPki({
    folder: join(options.folder, 'pki'),
    cluster: options.cluster,
    server,
    addresses: ['127.0.0.1', ...(plan ? [plan.controlPlane, plan.apiService] : [virtualServices.apiService])],
  });
  const settings: ControlPlaneSettings = {
    pki,
    etcdFolder,
    bindAddress: plan ? '0.0.0.0' : address,
    port,
    serviceRange: plan?.services ?? virtualServices.range,
    ...(plan ? { advertiseAddress: address, podRange: plan.pods } : {}),
    ...(options.audit ? { audit: await writeAuditPolicy(options) } : {}),
    ...(options.fastFailureDetection ? { nodeGracePeriod: '6s' } : {}),
    ...(options.extraApiServerArguments ? { extraApiServerArguments: options.extraApiServerArguments } : {}),
  };
  return { server, settings };
}

async function writeAuditPolicy({ folder, logs }: ControlPlaneOptions): Promise<{ policy: string; log: string }> {
  const policy = join(folder, 'audit-policy.yaml');
  await writeFile(policy, auditPolicy);
  return { policy, log: join(logs, 'audit.log') };
}

/** The port that was asked for, or any, as long as nobody listens there now. */
async function portFor({ port = 0 }: Pick<ControlPlaneOptions, 'port'>): Promise<number> {
  return await freePort('127.0.0.1', port).catch((error: unknown) => {
    throw portTaken(port, error);
  });
}

function portTaken(port: number, cause: unknown): TestenvError {
  return new TestenvError('KUR_TESTENV_PORT_TAKEN', `port ${port} on 127.0.0.1 is taken by another program`, {
    remedy: 'choose another with --port, or leave it out to get a free one',
    cause,
  });
}

/** The kernel cuts off longer socket paths, and etcd would not say so. */
function refuseLongSocket(path: string): void {
  if (Buffer.byteLength(path) < 108) return;
  throw new TestenvError(
    'KUR_TESTENV_FOLDER',
    `the cluster's folder has too long a path for a socket (108 bytes): ${path}`,
    {
      remedy: 'set XDG_STATE_HOME to a shorter folder, or give the cluster a shorter name',
    },
  );
}
