/** What a translation gives, and how its parts call each other. */
import type { JSONSchemaProps } from '@kurator/client/apiextensions/v1';
import type { z } from 'zod';
import type { Layers } from './layers.ts';
import type { Place } from './place.ts';

/** A translated schema, with what its surroundings have to know of it. */
export interface Translated {
  readonly schema: JSONSchemaProps;
  readonly layers: Layers;
}

/** Translates a schema and everything beneath it. */
export type Translate = (schema: z.core.$ZodType, place: Place) => Translated;
