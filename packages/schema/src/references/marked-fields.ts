/** Where in a resource the fields are that refer to other objects, or to who wrote them. */
import type { z } from 'zod';
import { SchemaError } from '../error.ts';
import type { Mark, Reference } from '../mark.ts';
import { type Layers, layersOf } from '../openapi/layers.ts';
import { fieldOf, type Place, placeAt, valuesOf } from '../openapi/place.ts';

/** One step on the way to a field. */
export type Step =
  | { readonly into: 'field'; readonly name: string; readonly nullable: boolean }
  /** All items of a list, or all values of a map; `most` is how many there can be. */
  | { readonly into: 'items' | 'values'; readonly most: number };

/** One that leads into a field. */
export type FieldStep = Extract<Step, { into: 'field' }>;

/** A field that refers to other objects. */
export interface ReferenceField {
  /** For people: `spec.checks[].http.tls.caFrom`. */
  readonly path: string;
  readonly steps: readonly Step[];
  readonly reference: Reference;
  /** CEL about `self`; an empty text where it may be any name. */
  readonly name: string;
  /** CEL about `self`; undefined for the namespace of the object itself. */
  readonly namespace: string | undefined;
}

/** Fields that only their writer may sign. */
export interface Signature {
  /** The object that they are in, for people: `spec`. */
  readonly path: string;
  readonly steps: readonly FieldStep[];
  /** Who has set the fields. */
  readonly by: string;
  readonly fields: readonly string[];
}

/** All such fields of a spec. */
export function referenceFieldsIn(spec: z.core.$ZodType): ReferenceField[] {
  return marksIn(spec).flatMap(({ mark, layers, place, steps }) =>
    mark.is === 'reference' ? [referenceFieldOf(mark.reference, layers, place, steps)] : [],
  );
}

/** All fields of a spec that are signed. */
export function signaturesIn(spec: z.core.$ZodType): Signature[] {
  return marksIn(spec).flatMap(({ mark, place: { path }, steps }) => {
    if (mark.is !== 'signed') return [];
    if (isFields(steps)) return [{ path, steps, by: mark.by, fields: mark.fields }];
    const remedy = 'sign fields of the spec, or of an object that is in no list';
    throw new SchemaError('KUR_SCHEMA_REFERENCE', `who has set what is in a list can't be checked; ${remedy}`, {
      path,
      remedy,
    });
  });
}

const isFields = (steps: readonly Step[]): steps is FieldStep[] => steps.every(({ into }) => into === 'field');

interface Marked {
  readonly mark: Mark;
  readonly layers: Layers;
  readonly place: Place;
  readonly steps: readonly Step[];
}

function marksIn(spec: z.core.$ZodType): Marked[] {
  const place = placeAt('spec');
  return [...within(spec, place, [fieldStep('spec', spec, place)])];
}

function* within(schema: z.core.$ZodType, place: Place, steps: readonly Step[]): Generator<Marked> {
  const layers = layersOf(schema, place);
  if (layers.marks.some(({ is }) => is === 'unchecked')) return;
  for (const mark of layers.marks) yield { mark, layers, place, steps };
  const def = layers.core._zod.def as AnyDef;
  for (const [name, field] of Object.entries(def.shape ?? {})) {
    const at = fieldOf(place, name);
    yield* within(field, at, [...steps, fieldStep(name, field, at)]);
  }
  if (def.element)
    yield* within(def.element, valuesOf(place, '[]'), [...steps, { into: 'items', most: mostOf(layers) }]);
  if (def.valueType) {
    yield* within(def.valueType, valuesOf(place, '.*'), [...steps, { into: 'values', most: mostOf(layers) }]);
  }
  for (const member of [...(def.options ?? []), ...(def.left && def.right ? [def.left, def.right] : [])]) {
    yield* within(member, place, steps);
  }
}

/** What lies beneath a schema, whatever its type is. */
interface AnyDef {
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly element?: z.core.$ZodType;
  readonly valueType?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
  readonly left?: z.core.$ZodType;
  readonly right?: z.core.$ZodType;
}

function fieldStep(name: string, field: z.core.$ZodType, place: Place): FieldStep {
  return { into: 'field', name, nullable: layersOf(field, place).nullable };
}

function mostOf({ checks, marks }: Layers): number {
  const lengths = (checks as readonly { maximum?: number; length?: number }[]).flatMap(
    ({ maximum, length }) => maximum ?? length ?? [],
  );
  return Math.min(Infinity, ...lengths, ...marks.flatMap((mark) => (mark.is === 'size' ? (mark.max ?? []) : [])));
}

function referenceFieldOf(
  reference: Reference,
  layers: Layers,
  { path }: Place,
  steps: readonly Step[],
): ReferenceField {
  const { shape = {}, type } = layers.core._zod.def as z.core.$ZodTypeDef & AnyDef;
  const guessed = 'name' in shape ? 'self.name' : type === 'string' || type === 'enum' ? 'self' : undefined;
  const name = reference.name ?? guessed;
  if (name === undefined) {
    const remedy = 'give name, CEL about self; or name: "*" where it may be any of them';
    throw new SchemaError('KUR_SCHEMA_REFERENCE', `it can't be seen which ${reference.to.kind} it names; ${remedy}`, {
      path,
      remedy,
    });
  }
  const own = 'namespace' in shape ? '(has(self.namespace) ? self.namespace : request.namespace)' : undefined;
  const namespace = reference.to.namespaced ? (reference.namespace ?? own) : undefined;
  return { path, steps, reference, name: name === '*' ? '' : name, namespace };
}
