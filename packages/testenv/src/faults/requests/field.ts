/** The checks that fault requests are made of. Each says what is wrong in a sentence that names the field and the fix. */
import { constants } from 'node:os';
import { quantityToInteger } from '@kurator/client';
import { toMilliseconds } from './duration.ts';
import { isAddressRange } from './endpoint.ts';

/** What is wrong with a value, or undefined; `at` is what the value is called in the sentence. */
export type Check = (value: unknown, at: string) => string | undefined;

/** A field of a request. */
export interface Field {
  readonly required: boolean;
  /** One line, for `--help`. */
  readonly help: string;
  readonly check: Check;
}

/** A field that has to be given; `help` goes on after "give …". */
export function required(help: string, check: Check): Field {
  return { required: true, help, check };
}

/** A field that may be left out. */
export function optional(help: string, check: Check): Field {
  return { required: false, help, check };
}

/** The first thing that is wrong with an object's fields. */
export function checkFields(fields: Readonly<Record<string, Field>>, value: object, at: string): string | undefined {
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) return `${at} has no field "${unknown}": use ${Object.keys(fields).join(', ')}`;
  for (const [name, field] of Object.entries(fields)) {
    const problem = checkField(field, (value as Record<string, unknown>)[name], `${at}.${name}`);
    if (problem) return problem;
  }
  return undefined;
}

function checkField({ required, help, check }: Field, value: unknown, at: string): string | undefined {
  if (value !== undefined) return check(value, at);
  return required ? `${at} is missing: give ${help}` : undefined;
}

function expecting(wanted: string, accepts: (value: unknown) => boolean): Check {
  return (value, at) => (accepts(value) ? undefined : `${at} is ${JSON.stringify(value)}: give ${wanted}`);
}

const integerIn = (least: number, most: number) => (value: unknown) =>
  Number.isInteger(value) && (value as number) >= least && (value as number) <= most;

/** Any text but an empty one. */
export const text = expecting('some text', (value) => typeof value === 'string' && value !== '');

/** Yes or no. */
export const flag = expecting('true or false', (value) => typeof value === 'boolean');

/** A share of a hundred, never none. */
export const percent = expecting(
  'a number above 0, up to 100',
  (value) => typeof value === 'number' && value > 0 && value <= 100,
);

/** A port that packets can be sent to. */
export const port = expecting('a whole number from 1 to 65535', integerIn(1, 65535));

/** A number of processor cores. */
export const cores = expecting('a whole number from 1 to 64', integerIn(1, 64));

/** A length of time: see {@link Duration}. */
export const duration = expecting(
  'milliseconds, or a number with ms, s, m or h, such as "30s"',
  (value) => toMilliseconds(value) !== undefined,
);

/** An amount of memory or disk: see {@link toBytes}. */
export const bytes = expecting(
  'a whole number above 0, or a quantity such as "64Mi"',
  (value) => toBytes(value) !== undefined,
);

/** A signal by its name or number, real-time signals included. */
export const signal = expecting(
  'the name of a signal, such as "SIGTERM", or a number from 1 to 64',
  (value) => integerIn(1, 64)(value) || (typeof value === 'string' && Object.hasOwn(constants.signals, value)),
);

/** One of a few words. */
export function oneOf(choices: readonly string[]): Check {
  return expecting(`one of ${choices.join(', ')}`, (value) => typeof value === 'string' && choices.includes(value));
}

/** One value, or a list of at least one. */
export function oneOrMore(check: Check): Check {
  return (value, at) => {
    if (!Array.isArray(value)) return check(value, at);
    if (value.length === 0) return `${at} is an empty list: give at least one, or leave it out`;
    return firstProblem(value, check, at);
  };
}

/** At least two lists of at least one name each, in which no name comes twice. */
export const groupsOfNames: Check = (value, at) => {
  const groups: unknown[] = Array.isArray(value) ? value : [];
  const wanted = 'two or more groups of machines, such as [["n1"], ["n2", "cp"]]';
  if (groups.length < 2 || !groups.every((group) => Array.isArray(group) && group.length > 0)) {
    return `${at} is ${JSON.stringify(value)}: give ${wanted}`;
  }
  const names = groups.flat();
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return `${at} has ${JSON.stringify(twice)} twice: a machine can be in one group only`;
  return firstProblem(groups, (group, inner) => firstProblem(group as unknown[], text, inner), at);
};

const endpointForms: readonly Readonly<Record<string, Field>>[] = [
  { pod: required('the name of a pod', text), namespace: optional('its namespace', text) },
  { node: required('the name of a machine', text), pods: optional('whether its pods count as well', flag) },
  {
    address: required(
      'an address',
      expecting(
        'an IPv4 address or range, such as "10.1.2.0/24"',
        (it) => typeof it === 'string' && isAddressRange(it),
      ),
    ),
  },
];

/** A pod, a node or a range of addresses. */
export const endpoint: Check = (value, at) => {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const form = isObject ? endpointForms.find((fields) => (Object.keys(fields)[0] as string) in value) : undefined;
  if (!form) return `${at} is ${JSON.stringify(value)}: give { pod, namespace }, { node } or { address }`;
  return checkFields(form, value as object, at);
};

/** As `endpoint`, but of something that has ports of its own. */
export const listener: Check = (value, at) => {
  const problem = endpoint(value, at);
  if (problem) return problem;
  return 'address' in (value as object) ? `${at} is an address: give { pod, namespace } or { node }` : undefined;
};

function firstProblem(values: readonly unknown[], check: Check, at: string): string | undefined {
  for (const [index, value] of values.entries()) {
    const problem = check(value, `${at}[${index}]`);
    if (problem) return problem;
  }
  return undefined;
}

/** Reads a number of bytes; undefined for what is none, or is not above 0. */
export function toBytes(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0 ? value : undefined;
  if (typeof value !== 'string') return undefined;
  try {
    return toBytes(Number(quantityToInteger(value)));
  } catch {
    return undefined;
  }
}
