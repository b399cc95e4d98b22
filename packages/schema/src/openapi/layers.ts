/**
 * Zod wraps a schema for each of `.optional()`, `.nullable()`, `.default()` and `.describe()`; OpenAPI says them beside
 * the type. Here the wrapping is taken off.
 */
import { z } from 'zod';
import { type Mark, markOf } from '../mark.ts';
import { inexpressible, type Place } from './place.ts';

/** A schema without its wrapping, and what the wrapping said. */
export interface Layers {
  readonly core: z.core.$ZodType;
  readonly optional: boolean;
  readonly nullable: boolean;
  readonly description: string | undefined;
  /** Present where there is a default. */
  readonly default?: { readonly value: unknown };
  /** From all layers, in the order in which they were written. */
  readonly marks: readonly Mark[];
  /** Zod's own checks on the core. */
  readonly checks: readonly z.core.$ZodCheckDef[];
}

interface AnyDef {
  readonly type: string;
  readonly checks?: readonly z.core.$ZodCheck[];
  readonly innerType?: z.core.$ZodType;
  readonly defaultValue?: unknown;
  readonly getter?: () => z.core.$ZodType;
}

type Mutable = { -readonly [Key in keyof Layers]: Layers[Key] } & { marks: Mark[]; checks: z.core.$ZodCheckDef[] };

const wrapping: Record<string, (layers: Mutable, schema: z.core.$ZodType, place: Place) => void> = {
  optional: () => {},
  nonoptional: () => {},
  nullable: (layers) => Object.assign(layers, { nullable: true }),
  readonly: () => {},
  lazy: () => {},
  default: withDefault,
  prefault: withDefault,
};

/** Takes the wrapping off. */
export function layersOf(schema: z.core.$ZodType, place: Place): Layers {
  const layers: Mutable = {
    core: schema,
    // Zod's own word on it: .default(), z.unknown() and unions with undefined may be absent too.
    optional: z.safeParse(z.object({ field: schema }), {}).success,
    nullable: false,
    description: undefined,
    marks: [],
    checks: [],
  };
  for (let next: z.core.$ZodType | undefined = schema; next; next = innerOf(next)) {
    layers.core = next;
    layers.description ??= z.globalRegistry.get(next)?.description;
    collectChecks(layers, next, place);
    const def = next._zod.def as AnyDef;
    wrapping[def.type]?.(layers, next, place);
  }
  return layers;
}

function innerOf(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  const def = schema._zod.def as AnyDef;
  if (!(def.type in wrapping)) return undefined;
  return def.type === 'lazy' ? def.getter?.() : def.innerType;
}

function collectChecks(layers: Mutable, schema: z.core.$ZodType, place: Place): void {
  const marks: Mark[] = [];
  for (const check of (schema._zod.def as AnyDef).checks ?? []) {
    const mark = markOf(check);
    if (mark) marks.push(mark);
    else if (check._zod.def.check === 'custom') throw refinement(place);
    else if (check._zod.def.check === 'overwrite') throw overwrite(place);
    else layers.checks.push(check._zod.def);
  }
  // Layers are met from the outside in, and were written from the inside out.
  layers.marks.unshift(...marks);
}

function withDefault(layers: Mutable, schema: z.core.$ZodType, place: Place): void {
  if (layers.default) return;
  const { defaultValue: value, innerType } = schema._zod.def as AnyDef;
  const again = (schema._zod.def as AnyDef).defaultValue;
  if (JSON.stringify(value) !== JSON.stringify(again)) {
    throw inexpressible(
      place,
      'KUR_SCHEMA_DEFAULT',
      'the default is another one each time',
      'leave it out, and let the controller choose the value',
    );
  }
  const problem = innerType && z.safeParse(innerType, value).error;
  if (problem) {
    const what = `the default ${JSON.stringify(value)} is not a value of the schema: ${problem.issues[0]?.message}`;
    throw inexpressible(place, 'KUR_SCHEMA_DEFAULT', what, 'give one that the schema accepts');
  }
  layers.default = { value };
}

function refinement(place: Place) {
  return inexpressible(
    place,
    'KUR_SCHEMA_REFINEMENT',
    'a refinement is JavaScript, which the API server does not run',
    'say it in CEL with rule(schema, cel, message), or leave it to the webhook with onlyInWebhook(schema, check, message)',
  );
}

function overwrite(place: Place) {
  return inexpressible(
    place,
    'KUR_SCHEMA_TRANSFORM',
    'the API server stores what it is given, it does not trim or rewrite it',
    'refuse what you would rewrite, with .regex(), or rewrite it in a mutating webhook',
  );
}
