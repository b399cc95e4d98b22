/**
 * The tests' operator as a process of its own: what it declares, and something outside of
 * Kubernetes that it keeps for each Echo, in files. It can be told to kill itself at one of its steps; a step is
 * whatever others can see: each write to the API server, and each change outside. Argument: {@link EchoProcessOptions}.
 */
import { writeSync } from 'node:fs';
import { type Client, ConfigMap, createClient, loadKubeconfig } from '@kurator/client';
import { operator } from '../../src/index.ts';
import { Echo } from './echo.ts';
import { keepInStep } from './echo-operator.ts';
import type { EchoProcessOptions } from './echo-program.ts';
import { Outside } from './outside.ts';

const options: EchoProcessOptions = JSON.parse(process.argv[2] ?? '{}');
const { namespace, folder, death } = options;
let steps = 0;

/** Does it, and tells of it before; dies before it, while it is under way, or right after it, if that was asked for. */
async function step<R>(name: string, act: () => Promise<R>): Promise<R> {
  steps++;
  const dies = (when: string) => death?.step === steps && death.when === when;
  say({ step: name });
  if (dies('before')) die();
  const acting = act();
  if (dies('while')) setImmediate(die);
  const result = await acting;
  if (dies('after')) die();
  return result;
}

// Not by console.log, which may still be on its way when the process dies.
function say(line: object): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  for (;;);
}

type Write = 'apply' | 'patch' | 'delete';
type AnyWrite = (type: { kind: string }, target: Named, ...rest: unknown[]) => Promise<unknown>;
type Named = { name?: string; metadata?: { name: string } };

function stepping(client: Client): Client {
  const write =
    (verb: Write): AnyWrite =>
    (type, target, ...rest) => {
      const { subresource } = (rest.at(-1) ?? {}) as { subresource?: string };
      const name = `${verb} ${type.kind} ${target.name ?? target.metadata?.name}${subresource ? `/${subresource}` : ''}`;
      return step(name, () => (client[verb] as unknown as AnyWrite)(type, target, ...rest));
    };
  const verbs: Write[] = ['apply', 'patch', 'delete'];
  return { ...client, ...Object.fromEntries(verbs.map((verb) => [verb, write(verb)])) };
}

// Not by @kurator/testenv: loading it would be most of what this process does, and there are many of them.
const client = createClient(await loadKubeconfig(process.env.KURATOR_TEST_KUBECONFIG));
const outside = new Outside(folder);
const echo = operator({ name: 'echo', namespaces: namespace })
  .controller(Echo, { readyCondition: 'Ready' })
  .owns(ConfigMap)
  .cleanup(async (_, { key }) => {
    if (outside.read(key) !== undefined) await step('remove outside', async () => outside.remove(key));
  })
  .reconcile(async (object, context) => {
    const { message = '' } = object.spec ?? {};
    const isThere = outside.read(context.key) === message;
    if (!isThere) await step('put outside', async () => outside.put(context.key, message));
    return await keepInStep(object, context);
  });
const running = await echo.start({ client: stepping(client), signals: true });
say({ url: await running.manager.url() });
await running.ended;
await client.close();
