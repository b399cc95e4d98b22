/** `/debug` for people: one page, without scripts and without anything from elsewhere. */
import type { CheckReport } from './check.ts';
import type { CacheView, ControllerView, DebugState, LeaderView } from './debug-state.ts';

/** HTML that is safe by construction: whatever is put into a template is text, unless it came out of one. */
class Markup {
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

/** What a browser may do with the page: nothing but show it. */
export const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

const style = `
  body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; color: #222; }
  h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin: 1.8rem 0 .3rem } h3 { font-size: 1rem; margin: 1rem 0 .2rem }
  table { border-collapse: collapse; width: 100% } th, td { text-align: left; padding: .15rem .8rem .15rem 0; border-bottom: 1px solid #ddd; vertical-align: top }
  th { font-weight: 600 } td.number, th.number { text-align: right } code { font: 13px ui-monospace, monospace; overflow-wrap: anywhere }
  .bad { color: #b00020 } .good { color: #1b6e1b } .quiet { color: #777 }
  @media (prefers-color-scheme: dark) { body { background: #181818; color: #ddd } th, td { border-color: #444 } .bad { color: #ff8a80 } .good { color: #81c784 } }
`;

export function debugPage(state: DebugState): string {
  const { name, phase, process } = state;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${name}: debug</title><style>${rawStyle}</style></head><body>
<h1>${name}: ${phase}</h1>
<p>Process ${process.pid}, Node ${process.node}, up ${duration(process.upSeconds)}, ${process.residentMiB} MiB resident
(${process.heapMiB} MiB heap). The same <a href="?format=json">as JSON</a>.</p>
${checks('Health', state.health)}${checks('Readiness', state.readiness)}${leader(state.leader)}
${state.controllers.map(controller)}
${caches(state.caches)}
<h2>Events</h2><p>${Object.entries(state.events).map(([what, times]) => `${what}: ${times}. `)}</p>
</body></html>
`.text;
}

const rawStyle = new Markup(style);

function checks(title: string, { ok, checks }: CheckReport): Markup {
  return html`<h2>${title}: ${badge(ok, 'ok', 'failing')}</h2>${table(
    ['check', '', 'reason'],
    checks.map((check) => [check.name, badge(check.ok, 'ok', 'failing'), check.reason]),
  )}`;
}

function leader(view: LeaderView | undefined): Markup {
  if (!view) return html`<h2>Leader election: off</h2>`;
  return html`<h2>Leader election: ${view.leading ? 'this process leads' : 'this process waits'}</h2>
<p>Lease <code>${view.lease}</code>, held by <code>${view.holder || 'nobody'}</code>; this is <code>${view.identity}</code>.
${view.leading ? `Term ${view.term}; without a renewal for another ${duration(view.remainingSeconds)}.` : ''}
${view.trouble && html`<br><span class="bad">${view.trouble}</span>`}</p>`;
}

function controller(view: ControllerView): Markup {
  const { name, kind, state, running, queue, concurrency } = view;
  return html`<h2>Controller ${name} of ${kind}${state && `: ${state}`}</h2>
<p>${running.length} of ${concurrency} run, ${queue.depth} are ready, ${queue.delayed} wait for their time; ${queue.adds} added,
${queue.retries} of them later, since the start. ${view.waitingFor.length > 0 ? `Waits for the caches of ${view.waitingFor.join(', ')}.` : ''}</p>
${section('Runs', ['object', 'for', ''], running, ({ key, forSeconds, stuck }) => [
  code(key),
  duration(forSeconds),
  stuck ? html`<span class="bad">ignores its signal</span>` : undefined,
])}
${section('Queued', ['object', 'priority', 'in'], view.queued, ({ key, priority, inSeconds }) => [
  code(key),
  priority,
  inSeconds > 0 ? duration(inSeconds) : 'now',
])}
${section('Failing', ['object', 'times', 'last', 'why'], view.failing, ({ key, failures, agoSeconds, error }) => [
  code(key),
  failures,
  `${duration(agoSeconds)} ago`,
  html`<span class="bad">${error}</span>`,
])}`;
}

function caches(views: readonly CacheView[]): Markup {
  const heads = ['kind', 'objects', 'KiB', '', 'synced after', 'last heard', 'restarts', 'last trouble'];
  return html`<h2>Caches</h2>${table(
    heads,
    views.map((view) => [
      view.kind,
      view.objects,
      Math.round(view.bytes / 1024),
      badge(view.synced, 'synced', 'not synced'),
      view.syncSeconds === undefined ? undefined : duration(view.syncSeconds),
      view.silenceSeconds === undefined ? 'never' : `${duration(view.silenceSeconds)} ago`,
      Object.entries(view.restarts).map(([reason, times]) => `${reason}: ${times} `),
      view.lastTrouble,
    ]),
  )}`;
}

type Cell = Parameters<typeof html>[1];

function section<T>(title: string, heads: readonly string[], items: readonly T[], row: (item: T) => Cell[]): Markup {
  if (items.length === 0) return html``;
  return html`<h3>${title}</h3>${table(heads, items.map(row))}`;
}

function table(heads: readonly string[], rows: readonly Cell[][]): Markup {
  if (rows.length === 0) return html`<p class="quiet">none</p>`;
  return html`<table><tr>${heads.map((head) => html`<th>${head}</th>`)}</tr>
${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>\n`)}</table>`;
}

function code(text: string): Markup {
  return html`<code>${text}</code>`;
}

function badge(ok: boolean, good: string, bad: string): Markup {
  return ok ? html`<span class="good">${good}</span>` : html`<span class="bad">${bad}</span>`;
}

function duration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds * 10) / 10} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`;
}
