/** What is typed, as the request that the library takes. Pure; the library judges whether it makes sense. */
import {
  type ContainerTarget,
  type Endpoint,
  type FaultKindName,
  type FaultRequest,
  parseEndpoint,
  parseFaultRequest,
} from '@kurator/testenv';

/** Each kind of fault is a command of the same name. */
export type RequestName = FaultKindName;

/** Options as commander gives them: text, numbers, flags and lists. */
export type FaultCommandOptions = Readonly<Record<string, unknown>>;

type Fields = Record<string, unknown>;

/** The fields that come from arguments; each option is the field of the same name. */
const argumentFields: Readonly<Record<RequestName, (...args: never[]) => Fields>> = {
  kill: (pod: string) => podFields(pod),
  freeze: (pod: string) => podFields(pod),
  drop: () => ({}),
  partition: (groups: string[]) => ({ groups: groups.map((group) => group.split(',').filter(Boolean)) }),
  unplug: (node: string) => ({ node }),
  refuse: (to: string, port: number) => ({ to: parseEndpoint(to), port }),
  delay: (to: string, port: number) => ({ to: parseEndpoint(to), port }),
  fill: (pod: string) => podFields(pod),
  'burn-cpu': (pod: string) => podFields(pod),
  'burn-memory': (pod: string) => podFields(pod),
  stop: (component: string) => componentFields(component),
  hang: (component: string) => componentFields(component),
  'power-off': (node: string) => ({ node }),
};

/** Options of the command itself, and no field of the request. */
const ownOptions = new Set(['name', 'output', 'json', 'verbose']);

/** Options that name pods, nodes or addresses. */
const endpointOptions = new Set(['from', 'to', 'except']);

export function faultRequest(kind: RequestName, args: readonly unknown[], options: FaultCommandOptions): FaultRequest {
  const fromArguments = (argumentFields[kind] as (...given: readonly unknown[]) => Fields)(...args);
  const fromOptions = Object.entries(options)
    .filter(([name]) => !ownOptions.has(name))
    .map(([name, value]) => [name, optionValue(name, value)]);
  return parseFaultRequest({ kind, ...fromArguments, ...Object.fromEntries(fromOptions) });
}

function optionValue(name: string, value: unknown): unknown {
  if (endpointOptions.has(name)) return (value as string[]).map((text): Endpoint => parseEndpoint(text));
  // Signals have numbers too.
  return name === 'signal' && /^\d+$/.test(String(value)) ? Number(value) : value;
}

function podFields(text: string): Pick<ContainerTarget, 'pod' | 'namespace'> {
  const [first = '', second] = text.split('/');
  return second === undefined ? { pod: first } : { namespace: first, pod: second };
}

function componentFields(text: string): Fields {
  const [component, node] = text.split('@');
  return { component, ...(node === undefined ? {} : { node }) };
}
