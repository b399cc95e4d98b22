/** What a dry run found out, for programs and for people. */
import { keyOf } from '../../object-key.ts';
import { noteOf } from '../internal/outcome.ts';
import type { PlannedWrite } from './dry-run-client.ts';
import { type FieldChange, fieldChanges, fieldChangeText } from './field-changes.ts';

/** An object that a reconcile would change. */
export interface PlannedChange {
  readonly action: 'create' | 'update' | 'delete';
  readonly apiVersion: string;
  readonly kind: string;
  /** `namespace/name`, or `name` for kinds of the whole cluster. */
  readonly key: string;
  /** The other cluster that it is in; absent for the operator's own. */
  readonly cluster?: string;
  /** For whose sake, for example `MyApp default/web`. */
  readonly for: string;
  readonly fields: readonly FieldChange[];
}

/** A reconcile that failed. */
export interface DryRunFailure {
  readonly for: string;
  readonly error: unknown;
}

/** An event that would have been told. */
export interface PlannedEvent {
  readonly for: string;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly note: string;
}

/** What an operator would do if it were run now. */
export interface DryRunReport {
  /** How many objects were reconciled. */
  readonly reconciled: number;
  /** Deletions first. */
  readonly changes: readonly PlannedChange[];
  readonly events: readonly PlannedEvent[];
  readonly failures: readonly DryRunFailure[];
  /** Objects that are being deleted and wait for the operator: their clean-up was not tried. */
  readonly cleanups: readonly string[];
  /** All of it as text for people. */
  toString(): string;
}

/** Undefined for a write that would change nothing. */
export function plannedChange(
  { type, live, wouldBe }: PlannedWrite,
  place: { readonly for: string; readonly cluster: string },
): PlannedChange | undefined {
  const fields = fieldChanges(live, wouldBe);
  const object = wouldBe ?? live;
  if (!object || fields.length === 0) return undefined;
  return {
    action: live ? (wouldBe ? 'update' : 'delete') : 'create',
    apiVersion: type.apiVersion,
    kind: type.kind,
    key: keyOf(object),
    ...(place.cluster ? { cluster: place.cluster } : {}),
    for: place.for,
    fields,
  };
}

/** Several writes to one object are one change; each was checked against what is there, so their fields add up. */
export function mergeChanges(changes: readonly PlannedChange[]): PlannedChange[] {
  const merged = new Map<string, PlannedChange>();
  for (const change of changes) {
    const id = JSON.stringify([change.cluster, change.apiVersion, change.kind, change.key, change.for]);
    const before = merged.get(id);
    merged.set(id, before ? joined(before, change) : change);
  }
  return [...merged.values()];
}

function joined(one: PlannedChange, other: PlannedChange): PlannedChange {
  // Whoever reads the report must see that it goes, whatever else happens to it.
  const action = other.action === 'delete' ? 'delete' : one.action;
  return { ...one, action, fields: joinFields(one.fields, other.fields) };
}

function joinFields(one: readonly FieldChange[], other: readonly FieldChange[]): FieldChange[] {
  return [...new Map([...one, ...other].map((field) => [field.path, field])).values()];
}

const marks = { create: '+', update: '~', delete: '-' } as const;

/** The report as text: one paragraph an object, one line a field; what would be deleted comes first. */
export function reportText({
  reconciled,
  changes,
  events,
  failures,
  cleanups,
}: Omit<DryRunReport, 'toString'>): string {
  const count = (action: PlannedChange['action']) => changes.filter((change) => change.action === action).length;
  const isDeletion = ({ action }: PlannedChange) => action === 'delete';
  const lines = [
    ...changes.filter(isDeletion).flatMap(changeLines),
    ...cleanups.map((whom) => `- ${whom} is being deleted: its clean-up would be called`),
    ...changes.filter((change) => !isDeletion(change)).flatMap(changeLines),
    ...events.map(({ type, reason, note, for: whom }) => `! ${type} event ${reason} (for ${whom}): ${note}`),
    ...failures.map((failure) => `x ${failure.for} failed: ${noteOf(failure.error)}`),
    `dry run: ${reconciled} reconciled, ${count('delete')} to delete, ${count('create')} to create, ${count('update')} to change, ${failures.length} failed; nothing was written`,
  ];
  return lines.join('\n');
}

function changeLines({ action, kind, key, cluster, for: whom, fields }: PlannedChange): string[] {
  const self = `${kind} ${key}`;
  const head = `${marks[action]} ${self}${cluster ? ` in ${cluster}` : ''}${self === whom ? '' : ` (for ${whom})`}`;
  // Whoever reads that it goes need not read what goes.
  return action === 'delete' ? [head] : [head, ...fields.map((field) => `    ${fieldChangeText(field)}`)];
}
