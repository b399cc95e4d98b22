/** What becomes of children when their object goes, as the kind declares it. */
import type { ControllerDefinition } from '../definition.ts';
import { asResource } from './resources.ts';

/** `keep`: for a time; then the operator deletes them. */
export type ChildrenPolicy = 'delete' | 'orphan' | 'keep';

export function childrenPolicy({ type }: Pick<ControllerDefinition, 'type'>): ChildrenPolicy {
  const { children = 'delete' } = asResource(type)?.definition.cleanup ?? {};
  return typeof children === 'string' ? children : 'keep';
}
