/** Fields whose content the schema doesn't know. */
import { z } from 'zod';
import { marked } from '../mark.ts';

/**
 * An object whose other fields are kept as they are: the API server drops what no schema mentions, but not here.
 *
 * @param known fields that are known after all.
 */
export function preserveUnknown<Shape extends z.ZodRawShape = Record<never, never>>(known?: z.ZodObject<Shape>) {
  return (known ?? (z.object({}) as unknown as z.ZodObject<Shape>)).loose();
}

/** A whole Kubernetes object inside another, for example a template. Its kind is not checked, its metadata is. */
export function embeddedObject() {
  const texts = z.record(z.string(), z.string());
  const metadata = z.looseObject({ name: z.string(), labels: texts, annotations: texts }).partial();
  // As the server reads them.
  const apiVersion = z.string().regex(/^[^/\s]+(?:\/[^/\s]+)?$/);
  const kind = z.string().regex(/^[A-Za-z](?:[-A-Za-z0-9]{0,61}[A-Za-z0-9])?$/);
  return marked(z.looseObject({ apiVersion, kind, metadata: metadata.optional() }), { is: 'embedded' });
}
