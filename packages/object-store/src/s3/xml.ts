/** Reads and writes the XML of S3's answers: elements and text, no attributes, no documents of their own making. */
import { ObjectStoreError } from '../error.ts';

/** An element with its children, or with its text. */
export interface XmlElement {
  readonly name: string;
  readonly text: string;
  readonly children: readonly XmlElement[];
}

const TOKEN = /<\?[^>]*\?>|<!--[\s\S]*?-->|<(\/?)([A-Za-z_][\w.:-]*)(?:\s[^>]*?)?(\/?)>|([^<]+)/y;
const MAX_DEPTH = 16;
const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

interface Open {
  readonly name: string;
  text: string;
  readonly children: XmlElement[];
}

/** The document's one element, which must have this name. */
export function parseXml(document: string, name: string): XmlElement {
  const root: Open = { name: '', text: '', children: [] };
  const open: Open[] = [root];
  let at = 0;
  while (at < document.length) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(document);
    if (!token) throw noXml();
    at = TOKEN.lastIndex;
    take(open, token);
  }
  const [element] = root.children;
  if (open.length !== 1 || element?.name !== name) throw noXml();
  return element;
}

function take(open: Open[], [, isEnd, name, isEmpty, text]: RegExpExecArray): void {
  const current = open.at(-1);
  if (!current) throw noXml();
  if (text !== undefined) current.text += unescapeXml(text);
  if (name === undefined) return;
  if (isEnd) {
    const parent = open.at(-2);
    if (current.name !== name || !parent) throw noXml();
    open.pop();
    parent.children.push(current);
  } else if (isEmpty) {
    current.children.push({ name, text: '', children: [] });
  } else {
    if (open.length > MAX_DEPTH) throw noXml();
    open.push({ name, text: '', children: [] });
  }
}

/** The text of a child, or nothing where there is no such child. */
export function textOf(element: XmlElement, name: string): string | undefined {
  return element.children.find((child) => child.name === name)?.text;
}

/** The children of a name. */
export function childrenOf(element: XmlElement, name: string): XmlElement[] {
  return element.children.filter((child) => child.name === name);
}

/** Text as it may stand between tags. */
export function escapeXml(text: string): string {
  return text.replace(/[<>&]/g, (character) => ({ '<': '&lt;', '>': '&gt;' })[character] ?? '&amp;');
}

function unescapeXml(text: string): string {
  return text.replace(/&(?:#x([0-9a-fA-F]{1,6})|#([0-9]{1,7})|(\w+));/g, (_all, hex, decimal, name) => {
    if (name !== undefined) return entities[name] ?? '\ufffd';
    const point = Number.parseInt(hex ?? decimal, hex === undefined ? 10 : 16);
    return point <= 0x10ffff ? String.fromCodePoint(point) : '\ufffd';
  });
}

function noXml(): ObjectStoreError {
  return new ObjectStoreError(
    'KUR_STORE_BAD_RESPONSE',
    'The answer is not the XML of S3: is something else at this endpoint, or a proxy in between?',
  );
}
