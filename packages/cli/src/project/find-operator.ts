/** Finds the operator among what a project's file exports. Loaded in processes that run the project's code. */
import { pathToFileURL } from 'node:url';
import type { Operator } from '@kurator/runtime';

/** Imports the file, and gives the one operator that it exports. */
export async function findOperator(file: string): Promise<Operator> {
  const exported: Record<string, unknown> = await import(pathToFileURL(file).href);
  const found = new Set(Object.values(exported).filter(isOperator));
  const [operator, ...others] = found;
  if (operator && others.length === 0) return operator;
  throw new Error(`${file} exports ${operator ? 'several operators' : 'no operator'}: it must export one`);
}

/** By its methods: the project has packages of its own, whose classes and symbols are others. */
function isOperator(value: unknown): value is Operator {
  const { permissions, start, controller } = (value ?? {}) as Record<string, unknown>;
  return [permissions, start, controller].every((method) => typeof method === 'function');
}
