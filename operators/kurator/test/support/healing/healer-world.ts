/** A namespace with a healer at work, for one test: made in one line and gone at its end. */
import { type Client, installCrds, type Logger, type RunningOperator, waitFor } from '@kurator/sdk';
import { eventually, type TestScope, testScope } from '@kurator/testenv';
import { expect } from 'vitest';
import { healer } from '../../../src/healer/healer.ts';
import type { HealerOptions } from '../../../src/healer/options.ts';
import { AlertChannel } from '../../../src/resources/alert-channel.ts';
import { Incident } from '../../../src/resources/incident.ts';
import { Kurator } from '../../../src/resources/kurator.ts';
import { KuratorSwitch } from '../../../src/resources/kurator-switch.ts';
import { type StagedService, type StageSettings, stageService } from './stage-service.ts';

/** Where staged pods and what they talk to are. */
const loopback = ['127.0.0.0/8'];

type KuratorSpec = Record<string, unknown>;

/** What a test does and looks at. */
export interface HealerWorld extends AsyncDisposable {
  readonly client: Client;
  readonly namespace: string;
  readonly requests: TestScope['requests'];
  /** What the healers have logged but for details, each line as an object. */
  readonly logged: readonly LoggedLine[];
  /** Starts a healer, with another client than the test's own if need be. */
  start(using?: Client, options?: HealerOptions, namespaces?: readonly string[]): Promise<RunningOperator>;
  stage(name: string, replicas?: number, settings?: StageSettings): Promise<StagedService>;
  /** Makes a Kurator that adopts a staged service, quick in all it does. */
  adopt(name: string, spec?: KuratorSpec): Promise<Kurator>;
  kurator(name: string): Promise<Kurator>;
  incident(name: string): Promise<Incident>;
  untilHealth(name: string, health: string): Promise<Kurator>;
  /** Waits until an incident is in a stage. */
  untilStage(name: string, stage: string): Promise<Incident>;
}

/** A line of a log. */
type LoggedLine = Readonly<Record<string, unknown>>;

/** A check that is quick to notice. */
export const quickCheck = { http: { port: 'main' }, period: '1s', timeout: '500ms', failAfter: 2, recoverAfter: 1 };
/** A recovery that loses no time. */
export const quickRecovery = { stability: '2s', coolDown: '0s', provenAfter: '1s', yieldFor: '1s' };

/** @param place Where it is; a namespace of its own on the shared control plane unless given. */
export async function healerWorld(
  place?: Pick<TestScope, 'client' | 'namespace' | 'requests' | 'end'>,
): Promise<HealerWorld> {
  const test = place ?? (await testScope('healing'));
  const { client, namespace, requests } = test;
  await installCrds(client, [Kurator, Incident, AlertChannel, KuratorSwitch]);
  const running: RunningOperator[] = [];
  const staged: StagedService[] = [];
  const logged: LoggedLine[] = [];
  const get = (name: string) => client.get(Kurator, { name, namespace });
  const incident = (name: string) => client.get(Incident, { name, namespace });
  return {
    client,
    namespace,
    requests,
    logged,
    async start(using = client, options = {}, namespaces = [namespace]) {
      const operator = healer({ threads: 0, allowAddresses: loopback, ...options });
      const started = await operator.start({
        client: using,
        namespaces,
        http: false,
        log: loggerInto(logged),
        installCrds: 'never',
        gracePeriod: '6s',
      });
      running.push(started);
      return started;
    },
    async stage(name, replicas, settings) {
      const service = await stageService(client, namespace, name, replicas, settings);
      staged.push(service);
      return service;
    },
    adopt: (name, { recovery = {}, ...more } = {}) =>
      client.create(Kurator, {
        metadata: { name, namespace },
        spec: {
          targetRef: { kind: 'Deployment', name },
          checks: [quickCheck],
          startupGrace: '0s',
          recovery: { ...quickRecovery, ...(recovery as object) },
          alerts: { groupWait: '0s' },
          ...more,
        } as never,
      }),
    kurator: get,
    incident,
    untilHealth: (name, health) =>
      waitFor(client, Kurator, { name, namespace }, ({ status }) => status?.health === health, {
        timeout: 30_000,
        description: `to be ${health}`,
      }),
    untilStage: (name, stage) =>
      eventually(
        async () => {
          const found = await incident(name);
          expect(found.status?.stage, found.status?.summary).toBe(stage);
          return found;
        },
        { timeout: '30s' },
      ),
    async [Symbol.asyncDispose]() {
      for (const one of running) await one.stop().catch(() => {});
      for (const one of staged) await one[Symbol.asyncDispose]();
      await test.end();
    },
  };
}

function loggerInto(lines: LoggedLine[], always: LoggedLine = {}): Logger {
  const write = (fields: object, message: string) => void lines.push({ message, ...always, ...fields });
  return {
    debug: () => {},
    info: write,
    warn: write,
    error: write,
    child: (fields) => loggerInto(lines, { ...always, ...fields }),
    isLevelEnabled: (level) => level !== 'debug' && level !== 'trace',
  };
}
