/** Finds an object's metadata in its JSON without parsing the rest. */

/** Where the metadata are: from their opening brace to after their closing one. */
export interface MetadataSpan {
  readonly start: number;
  readonly end: number;
  /** Where `,"managedFields":[…]` is; both are `end` if it isn't there. */
  readonly cutStart: number;
  readonly cutEnd: number;
}

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];
const METADATA = Buffer.from('metadata');
const MANAGED_FIELDS = Buffer.from(',"managedFields":[');
const FIRST_MANAGED_FIELDS = Buffer.from('{"managedFields":[');

/**
 * Undefined if the JSON is not as API servers write it: `kind` and `apiVersion` first, then `metadata`. It may be right
 * all the same.
 */
export function findMetadata(json: Buffer): MetadataSpan | undefined {
  const start = startOfMetadata(json);
  if (start < 0 || startsWith(json, start, FIRST_MANAGED_FIELDS)) return undefined;
  const end = endOfValue(json, start) + 1;
  if (end === 0) return undefined;
  // In JSON text a quote inside a string is escaped, so this can't be found inside one; and nothing but managed fields
  // is a list of that name in metadata.
  const found = json.indexOf(MANAGED_FIELDS, start);
  if (found < 0 || found >= end) return { start, end, cutStart: end, cutEnd: end };
  return { start, end, cutStart: found, cutEnd: endOfValue(json, found + MANAGED_FIELDS.length - 1) + 1 };
}

/** Where the value of the field `metadata` opens, if only texts come before it; -1 otherwise. */
function startOfMetadata(json: Buffer): number {
  let at = 1;
  while (json[at] === QUOTE) {
    const endOfName = endOfString(json, at);
    if (json[endOfName + 1] !== COLON) return -1;
    const value = endOfName + 2;
    if (endOfName - at - 1 === METADATA.length && startsWith(json, at + 1, METADATA)) {
      return json[value] === OPEN_BRACE ? value : -1;
    }
    if (json[value] !== QUOTE) return -1;
    const end = endOfString(json, value);
    if (json[end + 1] !== COMMA) return -1;
    at = end + 2;
  }
  return -1;
}

/** Where the object or array that opens at `start` closes; -1 if nowhere. */
function endOfValue(json: Buffer, start: number): number {
  let depth = 0;
  for (let i = start; i < json.length; i++) {
    const byte = json[i];
    if (byte === QUOTE) i = endOfString(json, i);
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) return i;
  }
  return -1;
}

/** Where the string that opens at `start` closes. */
function endOfString(json: Buffer, start: number): number {
  for (let i = start + 1; i < json.length; i++) {
    if (json[i] === BACKSLASH) i++;
    else if (json[i] === QUOTE) return i;
  }
  return json.length;
}

/** Whether `text` stands at this place. */
export function startsWith(json: Buffer, at: number, text: Buffer): boolean {
  for (let i = 0; i < text.length; i++) if (json[at + i] !== text[i]) return false;
  return true;
}
