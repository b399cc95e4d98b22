/** One version of a kind, as an author declares it. */
import type { z } from 'zod';
import type { Columns } from './columns.ts';
import type { ScalePaths, VersionDefinition } from './definition.ts';
import type { ValidationRule } from './mark.ts';

/** What an author declares of a version. */
export interface DeclaredVersion<Spec extends z.ZodType, Status extends z.ZodType> {
  spec: Spec;
  /** Its fields are never required: a status grows as work goes on. `conditions` and `observedGeneration` are added. */
  status?: Status;
  /** Columns of `kubectl get`, by their names, in this order; Age comes first unless it is among them. */
  columns?: Columns;
  /** Makes `kubectl scale` and autoscalers work. */
  scale?: ScalePaths;
  /** Fields that lists and watches can select by: `.spec.color`. */
  selectableFields?: readonly string[];
  /** CEL rules on the whole object: `self.spec`, `self.status`, `self.metadata.name`. */
  rules?: readonly ValidationRule[];
  /** Whether clients can use it. True unless given. */
  served?: boolean;
  /** Warns those who use it; a text is the warning. False unless given. */
  deprecated?: boolean | string;
  /** Store objects in this version instead. False unless given. */
  storage?: boolean;
}

/** A declared version with everything that was left out. */
export function versionDefinition(
  name: string,
  declared: DeclaredVersion<z.ZodType, z.ZodType>,
): Omit<VersionDefinition, 'conversion'> {
  const { spec, status, scale, served = true, storage = false, deprecated = false } = declared;
  return {
    name,
    spec,
    ...(status ? { status } : {}),
    served,
    storage,
    deprecated,
    columns: declared.columns ?? {},
    ...(scale ? { scale } : {}),
    selectableFields: declared.selectableFields ?? [],
    rules: declared.rules ?? [],
  };
}
