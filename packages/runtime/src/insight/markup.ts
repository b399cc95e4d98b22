/** HTML that is safe by construction: whatever is put into a template is text, unless it came out of one. */

export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Insert = Markup | string | number | undefined | readonly Insert[];

/** A template: ``html`<td>${anything}</td>` ``. Undefined is nothing, a list is its items one after another. */
export function html(parts: TemplateStringsArray, ...inserts: Insert[]): Markup {
  return new Markup(String.raw({ raw: parts }, ...inserts.map(textOf)));
}

function textOf(insert: Insert): string {
  if (insert === undefined) return '';
  if (insert instanceof Markup) return insert.text;
  if (typeof insert === 'object') return insert.map(textOf).join('');
  return escaped(String(insert));
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
