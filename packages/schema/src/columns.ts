/** The columns of `kubectl get`. */
import type { CustomResourceColumnDefinition, JSONSchemaProps } from '@kurator/client/apiextensions/v1';
import { SchemaError } from './error.ts';
import { fieldAt } from './json-path.ts';

/** A column of `kubectl get`. */
export interface Column {
  /** Where the value is, for example `.spec.replicas`. */
  path: string;
  /** Found from the schema unless given. A date is shown as the time since then. */
  type?: 'integer' | 'number' | 'string' | 'boolean' | 'date';
  /** 0 is always shown; 1 and more with `-o wide` only. 0 unless given. */
  priority?: number;
  description?: string;
}

/** A column that shows the status of a condition: True, False or Unknown. */
export interface ConditionColumn extends Omit<Column, 'path' | 'type'> {
  /** The type of the condition, for example `Ready`. */
  condition: string;
}

/** Columns by their names, in order: where the value is, or more about it. */
export type Columns = Readonly<Record<string, string | Column | ConditionColumn>>;

const age: CustomResourceColumnDefinition = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/**
 * The columns after the name. Age comes first, unless the author puts a column of that name elsewhere: without any
 * declared columns the server shows it there as well.
 */
export function columnsOf(columns: Columns, schema: JSONSchemaProps): CustomResourceColumnDefinition[] {
  const declared = Object.entries(columns).map(([name, column]) => columnOf(name, column, schema));
  return declared.some(({ name }) => name === age.name) ? declared : [age, ...declared];
}

function columnOf(
  name: string,
  column: string | Column | ConditionColumn,
  schema: JSONSchemaProps,
): CustomResourceColumnDefinition {
  const { path, type, priority, description } = columnFrom(column);
  return {
    name,
    type: type ?? typeAt(name, path, schema),
    jsonPath: path,
    ...(priority ? { priority } : {}),
    ...(description ? { description } : {}),
  };
}

function columnFrom(column: string | Column | ConditionColumn): Column {
  if (typeof column === 'string') return { path: column };
  if (!('condition' in column)) return column;
  const { condition, ...rest } = column;
  return { ...rest, path: `.status.conditions[?(@.type=="${condition}")].status`, type: 'string' };
}

function typeAt(name: string, path: string, schema: JSONSchemaProps): NonNullable<Column['type']> {
  const field = fieldAt(schema, path, `columns.${name}`);
  const isTime = [field, ...(field.allOf ?? [])].some(({ format }) => format === 'date-time');
  if (isTime) return 'date';
  if (field.type === 'object' || field.type === 'array') {
    const remedy = `give a path to a value in it, or the type: { path: '${path}', type: 'string' }`;
    throw new SchemaError(
      'KUR_SCHEMA_PATH',
      `${path} is ${field.type === 'array' ? 'a list' : 'an object'}; ${remedy}`,
      {
        path: `columns.${name}`,
        remedy,
      },
    );
  }
  // Unknown fields, quantities and int-or-strings are shown as they are written.
  return (field.type as Column['type']) ?? 'string';
}
