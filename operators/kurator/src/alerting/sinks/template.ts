/** A body by a person's template: fields are filled in, nothing is executed. */
import { inWords } from '../../healing/alerting.ts';
import type { Alert } from '../alert.ts';

type Escape = (text: string) => string;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** How a value has to be written so that it stays a value. */
const escapes: readonly (readonly [type: RegExp, escape: Escape])[] = [
  [/json/i, (text) => JSON.stringify(text).slice(1, -1)],
  [/x-www-form-urlencoded/i, encodeURIComponent],
  [/xml|html/i, (text) => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')],
];

/**
 * `{{title}}` becomes the title, written as it must be inside a string of the content type; lists become lines. What an
 * alert doesn't have stays as it stands, for all to see.
 */
export function filled(template: string, alert: Alert, contentType: string): string {
  const written = escapes.find(([type]) => type.test(contentType))?.[1] ?? ((text: string) => text);
  const fields: Readonly<Record<string, unknown>> = { ...alert, others: inWords(alert.others) };
  return template.replaceAll(/\{\{\s*([a-zA-Z]+)\s*\}\}/g, (place, name: string) => {
    if (!Object.hasOwn(fields, name)) return place;
    const value = fields[name];
    return written((Array.isArray(value) ? value.join('\n') : String(value)).toWellFormed());
  });
}
