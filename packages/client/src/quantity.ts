/**
 * Kubernetes quantities (`100m`, `1.5Gi`, `2e3`), read and written exactly as the API server does it.
 * Kept as whole billionths in a bigint, because that is the server's own precision and numbers can't hold it.
 */
import { ClientError } from './error.ts';

/** The family of suffixes that a quantity is written with. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

/** An amount, and how it likes to be written. */
export interface Quantity {
  /** The amount in billionths. */
  readonly nanos: bigint;
  readonly format: QuantityFormat;
}

const NANO = 10n ** 9n;
// The server cuts binary quantities off here.
const LARGEST_BINARY = (2n ** 63n - 1n) * NANO;
// An exponent beyond this is a mistake or an attack: 1e1000000000 would be a bigint of 400 MB.
const LARGEST_EXPONENT = 100;

const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const grammar = /^(?<sign>[+-]?)(?<whole>\d*)(?:\.(?<fraction>\d*))?(?<suffix>[EPTGMK]i|[numkMGTPE]|[eE][+-]?\d+)?$/;

/** Reads a quantity; what is finer than a billionth is rounded away from zero, as the server does. */
export function parseQuantity(text: string): Quantity {
  const parts = grammar.exec(text)?.groups;
  const { sign = '', whole = '', fraction = '', suffix = '' } = parts ?? {};
  if (!parts || whole + fraction === '') throw invalid(text);
  const scale = scaleOf(suffix, text);
  const dividend = BigInt(whole + fraction) * scale.factor * NANO * 10n ** BigInt(Math.max(scale.exponent, 0));
  const divisor = 10n ** BigInt(fraction.length + Math.max(-scale.exponent, 0));
  const rounded = (dividend + divisor - 1n) / divisor;
  const magnitude = scale.format === 'BinarySI' && rounded > LARGEST_BINARY ? LARGEST_BINARY : rounded;
  return { nanos: sign === '-' ? -magnitude : magnitude, format: scale.format };
}

/** Writes a quantity in the server's canonical form: no fraction, no lost precision, the largest suffix that allows both. */
export function formatQuantity({ nanos, format }: Quantity): string {
  if (nanos === 0n) return '0';
  return format === 'BinarySI' && isBinary(nanos) ? formatBinary(nanos / NANO) : formatDecimal(nanos, format);
}

/** The amount as a number, for example 0.1 for `100m`; exact up to 2^53. */
export function quantityToNumber(quantity: string | Quantity): number {
  const { nanos } = typeof quantity === 'string' ? parseQuantity(quantity) : quantity;
  return Number(nanos / NANO) + Number(nanos % NANO) / Number(NANO);
}

/** The amount as a whole number, rounded away from zero as the server does: bytes, pods. */
export function quantityToInteger(quantity: string | Quantity): bigint {
  const { nanos } = typeof quantity === 'string' ? parseQuantity(quantity) : quantity;
  return nanos >= 0n ? (nanos + NANO - 1n) / NANO : (nanos - NANO + 1n) / NANO;
}

interface Scale {
  format: QuantityFormat;
  factor: bigint;
  exponent: number;
}

function scaleOf(suffix: string, text: string): Scale {
  if (suffix.endsWith('i')) {
    return { format: 'BinarySI', factor: 1024n ** BigInt(binarySuffixes.indexOf(suffix)), exponent: 0 };
  }
  if (suffix.length <= 1) {
    return { format: 'DecimalSI', factor: 1n, exponent: 3 * decimalSuffixes.indexOf(suffix) - 9 };
  }
  const exponent = Number(suffix.slice(1));
  if (Math.abs(exponent) > LARGEST_EXPONENT) throw invalid(text);
  return { format: 'DecimalExponent', factor: 1n, exponent };
}

// Below 1024, and where a fraction would be lost, the server falls back to decimal suffixes.
function isBinary(nanos: bigint): boolean {
  const magnitude = nanos < 0n ? -nanos : nanos;
  return magnitude >= 1024n * NANO && magnitude % NANO === 0n;
}

function formatBinary(value: bigint): string {
  let index = 0;
  let mantissa = value;
  while (mantissa % 1024n === 0n && index < binarySuffixes.length - 1) {
    mantissa /= 1024n;
    index += 1;
  }
  return `${mantissa}${binarySuffixes[index]}`;
}

function formatDecimal(nanos: bigint, format: QuantityFormat): string {
  let index = 0;
  let mantissa = nanos;
  const last = format === 'DecimalExponent' ? Number.POSITIVE_INFINITY : decimalSuffixes.length - 1;
  while (mantissa % 1000n === 0n && index < last) {
    mantissa /= 1000n;
    index += 1;
  }
  const exponent = 3 * index - 9;
  if (format !== 'DecimalExponent') return `${mantissa}${decimalSuffixes[index]}`;
  return exponent === 0 ? `${mantissa}` : `${mantissa}e${exponent}`;
}

function invalid(text: string): ClientError {
  return new ClientError(
    'KUR_CLIENT_INVALID_REQUEST',
    `"${text.slice(0, 60)}" is not a quantity: write a number with an optional suffix, for example 500m, 1.5Gi or 2e3`,
  );
}
