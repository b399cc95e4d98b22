/** The messages of `grpc.health.v1.Health/Check`: two fields in all, so they are written and read by hand. */
import { must } from '../check.ts';

/** What the server says of itself; in the order of their numbers. */
const servingStatuses = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'] as const;
export type ServingStatus = (typeof servingStatuses)[number];

const FRAME_HEAD = 5;
const VARINT = 0;

/** `HealthCheckRequest { service = 1 }`, with gRPC's frame around it. */
export function healthRequest(service: string): Buffer {
  const name = Buffer.from(service, 'utf8');
  // One byte of length is all that is written, and longer names are nobody's.
  must(name.length < 128, 'service must be shorter than 128 bytes');
  const message = name.length === 0 ? name : Buffer.concat([Buffer.from([0x0a, name.length]), name]);
  const head = Buffer.alloc(FRAME_HEAD);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** `HealthCheckResponse { status = 1 }` from its frame; undefined for anything else. */
export function servingStatusOf(frame: Buffer): ServingStatus | undefined {
  if (frame.length < FRAME_HEAD || frame[0] !== 0) return undefined;
  const message = frame.subarray(FRAME_HEAD);
  if (frame.readUInt32BE(1) !== message.length) return undefined;
  return servingStatuses[statusField(message) ?? -1];
}

/** The last value of field 1, as protobuf has it; 0 when it is left out, undefined when the message is none. */
function statusField(message: Buffer): number | undefined {
  let status = 0;
  let at = 0;
  while (at < message.length) {
    const tag = varint(message, at);
    if (!tag) return undefined;
    const field = fieldAt(message, tag.next, tag.value & 7);
    if (!field) return undefined;
    if (tag.value === ((1 << 3) | VARINT)) status = field.value;
    at = field.next;
  }
  return status;
}

interface Part {
  readonly value: number;
  readonly next: number;
}

/** One field of any wire type: a server may send ones that we don't know. */
function fieldAt(message: Buffer, at: number, wireType: number): Part | undefined {
  const lengths: Readonly<Record<number, number>> = { 1: 8, 5: 4 };
  if (wireType === VARINT) return varint(message, at);
  const text = wireType === 2 ? varint(message, at) : undefined;
  const next = text ? text.next + text.value : at + (lengths[wireType] ?? Number.NaN);
  return next <= message.length ? { value: 0, next } : undefined;
}

function varint(message: Buffer, from: number): Part | undefined {
  let value = 0;
  for (let at = from; at < message.length && at < from + 10; at++) {
    const byte = message[at] as number;
    value += (byte & 0x7f) * 2 ** (7 * (at - from));
    if (byte < 0x80) return { value, next: at + 1 };
  }
  return undefined;
}
