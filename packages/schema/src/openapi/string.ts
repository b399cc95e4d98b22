/** Strings: lengths, patterns and formats. */
import type { JSONSchemaProps } from '@kurator/client/apiextensions/v1';
import { z } from 'zod';
import { PatternProblem, re2Of } from './pattern.ts';
import { inexpressible, type Place } from './place.ts';

/** What a string must be, as its checks and its format say. */
interface StringDemands {
  minLength: number;
  maxLength: number;
  patterns: string[];
  none: string[];
  formats: string[];
}

type FormatDef = z.core.$ZodCheckDef & {
  format?: string;
  pattern?: RegExp;
  protocol?: RegExp;
  hostname?: RegExp;
  offset?: boolean;
  local?: boolean;
  precision?: number | null;
};

/** A string type, with what its checks demand. */
export function stringSchema(def: z.core.$ZodTypeDef, checks: readonly z.core.$ZodCheckDef[], place: Place) {
  const demands: StringDemands = { minLength: 0, maxLength: Infinity, patterns: [], none: [], formats: [] };
  if ('format' in def) addFormat(demands, def as unknown as FormatDef, place);
  for (const check of checks) addCheck(demands, check as FormatDef & { minimum: number; maximum: number }, place);
  return schemaOf(demands);
}

/** A string type that an expression describes. */
export function patternSchema(pattern: RegExp, place: Place): JSONSchemaProps {
  const demands: StringDemands = { minLength: 0, maxLength: Infinity, patterns: [], none: [], formats: [] };
  addPattern(demands, pattern, place);
  return schemaOf(demands);
}

function addCheck(
  demands: StringDemands,
  check: FormatDef & { minimum: number; maximum: number; length?: number },
  place: Place,
): void {
  const { minimum = check.length ?? 0, maximum = check.length ?? Infinity } = check;
  if (check.check === 'string_format') addFormat(demands, check, place);
  if (/length/.test(check.check)) demands.minLength = Math.max(demands.minLength, minimum);
  if (/length/.test(check.check)) demands.maxLength = Math.min(demands.maxLength, maximum);
}

function schemaOf({ minLength, maxLength, patterns, none, formats }: StringDemands): JSONSchemaProps {
  const [pattern, ...more] = [...new Set(patterns)];
  // The server takes a list for a string where the format stands beside the type, so it stands in an allOf.
  const allOf: JSONSchemaProps[] = [
    ...formats.map((format) => ({ format })),
    ...more.map((pattern) => ({ pattern })),
    ...none.map((pattern) => ({ not: { pattern } })),
  ];
  return {
    type: 'string',
    ...(minLength > 0 ? { minLength } : {}),
    ...(maxLength < Infinity ? { maxLength } : {}),
    ...(pattern === undefined ? {} : { pattern }),
    ...(allOf.length > 0 ? { allOf } : {}),
  };
}

/** Formats whose zod check is more than, or other than, its pattern. */
const formats: Record<string, (demands: StringDemands, def: FormatDef, place: Place) => void> = {
  datetime: addDateTime,
  date: ({ formats }) => formats.push('date'),
  ipv6: ({ formats }) => formats.push('ipv6'),
  cidrv6: ({ formats, patterns }) => {
    formats.push('cidr');
    patterns.push('^[0-9a-fA-F:.]*:[0-9a-fA-F:.]*/(?:0|[1-9][0-9]*)$');
  },
  base64: (demands, _, place) => addPattern(demands, z.regexes.base64, place),
  base64url: (demands, _, place) => addPattern(demands, z.regexes.base64url, place),
  url: addUrl,
  duration: (_, __, place) => {
    const remedy = 'use duration(), which Kubernetes and CEL know: 1h30m';
    throw inexpressible(place, 'KUR_SCHEMA_FORMAT', "the API server can't check an ISO 8601 duration", remedy);
  },
};

// What stands behind these is a computation, which neither a pattern nor a format can do.
const computed = new Set(['jwt', 'credit_card', 'iban', 'json_string']);

function addFormat(demands: StringDemands, def: FormatDef, place: Place): void {
  const { format = '', pattern } = def;
  const own = formats[format];
  if (own) own(demands, def, place);
  else if (pattern && !computed.has(format)) addPattern(demands, pattern, place);
  else throw noFormat(place, format);
}

function addPattern(demands: StringDemands, pattern: RegExp, place: Place): void {
  try {
    const { all, none } = re2Of(pattern);
    demands.patterns.push(...all);
    demands.none.push(...none);
  } catch (error) {
    if (!(error instanceof PatternProblem)) throw error;
    const what = `the API server's regular expressions (RE2) can't express ${error.message}, as in ${shorten(String(pattern))}`;
    throw inexpressible(place, 'KUR_SCHEMA_PATTERN', what, 'write it without, or say it in CEL with rule()');
  }
}

// The server's date-time also takes small letters and anything for the point before the fraction.
function addDateTime(demands: StringDemands, def: FormatDef, place: Place): void {
  const { precision, local, offset, pattern } = def;
  if ((local || precision === -1) && pattern) {
    addPattern(demands, pattern, place);
    return;
  }
  const exact = precision ? `\\.\\d{${precision}}` : '';
  const fraction = typeof precision === 'number' ? exact : '(?:\\.\\d+)?';
  const zone = offset ? '(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)' : 'Z';
  demands.patterns.push(`^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}${fraction}${zone}$`);
  demands.formats.push('date-time');
}

function addUrl(demands: StringDemands, { protocol, hostname }: FormatDef, place: Place): void {
  demands.formats.push('uri');
  // Without this, a path is a URI to the server.
  if (!protocol) demands.patterns.push('^[A-Za-z][A-Za-z0-9+.-]*:');
  else if (/^\^.*\$$/.test(protocol.source)) {
    addPattern(demands, new RegExp(`^(?:${protocol.source.slice(1, -1)}):`, protocol.flags), place);
  } else throw noFormat(place, `URL whose protocol matches ${protocol}`);
  if (hostname && hostname.source !== z.regexes.domain.source) {
    throw noFormat(place, `URL whose host matches ${hostname}`);
  }
  if (hostname)
    demands.patterns.push('^[a-zA-Z]+://(?:[^/?#@]*@)?(?:[a-zA-Z0-9-]{1,63}\\.)+[a-zA-Z]{2,63}(?::\\d+)?(?:[/?#]|$)');
}

function noFormat(place: Place, format: string) {
  return inexpressible(
    place,
    'KUR_SCHEMA_FORMAT',
    `the API server can't check a ${format.replaceAll('_', ' ')}`,
    'use z.string() with .regex(), or leave the check to the webhook with onlyInWebhook(schema, check, message)',
  );
}

function shorten(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}
