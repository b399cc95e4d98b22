import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { debugPage, html } from './debug-page.ts';
import { type DebugSources, debugState, type ShownController } from './debug-state.ts';

const evil = `<script>alert("x")</script>'&`;

async function state(change: Partial<DebugSources> = {}) {
  const clock = new ManualClock();
  await clock.advance(60_000);
  const controller: ShownController = {
    name: 'echo',
    kind: 'Echo',
    state: 'running',
    concurrency: 4,
    queue: { adds: 9, retries: 3, depth: 1, delayed: 1, depthByPriority: () => new Map() },
    running: () => [
      { key: 'ns/new', since: 59_000 },
      { key: 'ns/old', since: 20_000 },
    ],
    stuck: () => [{ key: 'ns/old', since: 20_000 }],
    queued: () => [
      { key: 'ns/next', priority: 0, readyAt: 50_000 },
      { key: 'ns/later', priority: -100, readyAt: 90_500 },
    ],
    failing: () => [{ key: 'ns/sad', failures: 3, failedAt: 55_000, error: 'login with password=hunter2 failed' }],
    waitingFor: () => ['ConfigMap'],
  };
  return await debugState({
    name: 'test',
    phase: () => 'running',
    clock,
    controllers: () => [controller],
    caches: () => [],
    election: () => undefined,
    events: () => ({ created: 1, updated: 0, dropped: 0, failed: 0, invalid: 0 }),
    health: async () => ({ ok: true, checks: [] }),
    readiness: async () => ({ ok: false, checks: [{ name: 'caches', ok: false, reason: 'Echo is not synced' }] }),
    ...change,
  });
}

describe('the debug state', () => {
  it('tells what is queued, what runs, since when, and why it failed last', async () => {
    const { controllers } = await state();
    expect(controllers).toEqual([
      {
        name: 'echo',
        kind: 'Echo',
        state: 'running',
        concurrency: 4,
        waitingFor: ['ConfigMap'],
        queue: { depth: 1, delayed: 1, adds: 9, retries: 3 },
        running: [
          { key: 'ns/old', forSeconds: 40, stuck: true },
          { key: 'ns/new', forSeconds: 1, stuck: false },
        ],
        queued: [
          { key: 'ns/next', priority: 0, inSeconds: 0 },
          { key: 'ns/later', priority: -100, inSeconds: 30.5 },
        ],
        failing: [{ key: 'ns/sad', failures: 3, agoSeconds: 5, error: 'login with password=[redacted] failed' }],
      },
    ]);
  });

  it('survives the way through JSON', async () => {
    const election = { lease: 'a/b', identity: 'me', leading: false, holder: 'you', term: 1, remaining: 5_000 };
    const shown = await state({ election: () => ({ ...election, trouble: new Error('no route') }) });
    expect(JSON.parse(JSON.stringify(shown))).toEqual(shown);
    expect(shown.leader).toMatchObject({ holder: 'you', remainingSeconds: 5, trouble: 'no route' });
  });
});

describe('the debug page', () => {
  it('shows all of it', async () => {
    const page = debugPage(await state());
    for (const text of ['ns/old', 'ignores its signal', 'ns/later', '30.5 s', 'ns/sad', '3', 'Echo is not synced']) {
      expect(page).toContain(text);
    }
  });

  it('escapes whatever comes from elsewhere', async () => {
    const page = debugPage(
      await state({
        name: evil,
        readiness: async () => ({ ok: false, checks: [{ name: evil, ok: false, reason: evil }] }),
        election: () => ({
          lease: evil,
          identity: evil,
          leading: true,
          holder: evil,
          term: 1,
          remaining: 0,
          trouble: evil,
        }),
      }),
    );
    expect(page).not.toContain('<script');
    expect(page).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&#39;&amp;');
  });

  it('needs nothing from elsewhere', async () => {
    expect(debugPage(await state())).not.toMatch(/<(script|link|img|iframe)|https?:|@import|url\(/);
  });
});

describe('a template', () => {
  it('escapes texts, and leaves what came out of a template', () => {
    expect(html`<b>${['<', html`<i>${'"'}</i>`, undefined, 3]}</b>`.text).toBe('<b>&lt;<i>&quot;</i>3</b>');
  });
});
