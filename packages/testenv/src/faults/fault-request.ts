/** Every fault as a plain JSON request, told apart by `kind`, with the table that checks and explains them. */
import { TestenvError } from '../error.ts';
import { componentKinds, type HangRequest, type PowerOffRequest, type StopRequest } from './requests/components.ts';
import { connectionKinds, type DelayRequest, type RefuseRequest } from './requests/connections.ts';
import { formatDuration, toMilliseconds } from './requests/duration.ts';
import { baseFields, type FaultBase, type FaultKind } from './requests/fault-kind.ts';
import { checkFields, type Field } from './requests/field.ts';
import { type DropRequest, type PartitionRequest, packetKinds, type UnplugRequest } from './requests/packets.ts';
import { type FreezeRequest, type KillRequest, processKinds } from './requests/processes.ts';
import { type BurnCpuRequest, type BurnMemoryRequest, type FillRequest, resourceKinds } from './requests/resources.ts';

/** A fault as plain JSON. */
export type FaultRequest =
  | KillRequest
  | FreezeRequest
  | DropRequest
  | PartitionRequest
  | UnplugRequest
  | RefuseRequest
  | DelayRequest
  | FillRequest
  | BurnCpuRequest
  | BurnMemoryRequest
  | StopRequest
  | HangRequest
  | PowerOffRequest;

/** What tells requests apart: `drop`, `freeze`, … */
export type FaultKindName = FaultRequest['kind'];

/** The request of one kind. */
export type RequestOf<K extends FaultKindName> = Extract<FaultRequest, { kind: K }>;

/** Every kind of fault there is. */
export const faultKinds: { readonly [K in FaultKindName]: FaultKind<RequestOf<K>> } = {
  ...processKinds,
  ...packetKinds,
  ...connectionKinds,
  ...resourceKinds,
  ...componentKinds,
};

/** The fields of a kind's request, besides `kind`. */
export function fieldsOf(kind: FaultKindName): Readonly<Record<string, Field>> {
  return { ...faultKinds[kind].fields, ...baseFields };
}

/** Checks that a value is a request; the error names the field that is wrong, and the fix. */
export function parseFaultRequest(value: unknown): FaultRequest {
  const { kind, ...rest } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  if (typeof kind !== 'string' || !Object.hasOwn(faultKinds, kind)) {
    throw invalid(`kind is ${JSON.stringify(kind)}: give one of ${Object.keys(faultKinds).join(', ')}`);
  }
  const problem = checkFields(fieldsOf(kind as FaultKindName), rest, kind);
  if (problem) throw invalid(problem);
  const request = value as FaultRequest;
  const conflict = kindOf(request).check?.(request);
  if (conflict) throw invalid(conflict);
  return request;
}

/** What a request does, in one line. */
export function describeFault(request: FaultRequest): string {
  const { for: duration } = request satisfies FaultBase;
  const end = duration === undefined ? '' : `, for ${formatDuration(toMilliseconds(duration) ?? 0)}`;
  return `${kindOf(request).describe(request)}${end}`;
}

/** The table's entry for a request: which of them fits is known from the request's own `kind`. */
function kindOf<R extends FaultRequest>(request: R): FaultKind<R> {
  return faultKinds[request.kind] as unknown as FaultKind<R>;
}

function invalid(problem: string): TestenvError {
  return new TestenvError('KUR_TESTENV_FAULT_REQUEST', problem);
}
