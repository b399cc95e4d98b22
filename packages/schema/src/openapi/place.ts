/** Where in a declaration the translation is, and what that place allows. */
import type { z } from 'zod';
import { SchemaError, type SchemaErrorCode } from '../error.ts';

/** A place in a declaration. */
export interface Place {
  /** For people: `spec.ports[].name`. */
  readonly path: string;
  /** The schemas around it, to notice one that contains itself. */
  readonly within: readonly z.core.$ZodType[];
  /** The list above it whose items the server can't tell apart, so that there is no `oldSelf`. */
  readonly uncorrelated?: string;
}

/** The beginning of a declaration. */
export function placeAt(path: string): Place {
  return { path, within: [] };
}

/** The place of a field. */
export function fieldOf(place: Place, name: string): Place {
  const simple = /^[A-Za-z_][\w-]*$/.test(name);
  return { ...place, path: simple ? `${place.path}.${name}` : `${place.path}[${JSON.stringify(name)}]` };
}

/** The place of the values of a list or map. */
export function valuesOf(place: Place, suffix: '[]' | '.*'): Place {
  return { ...place, path: `${place.path}${suffix}` };
}

/** What can't be expressed, and what to write instead. */
export function inexpressible(place: Place, code: SchemaErrorCode, what: string, remedy: string): SchemaError {
  return new SchemaError(code, `${what}; ${remedy}`, { path: place.path, remedy });
}
