// What people see, as golden text: `npm run test:unit -- packages/kubectl-kurator/src/healer/rendering.test.ts -u` writes it anew.

import { type Screen, screenOf } from '@kurator/command';
import { describe, expect, it } from 'vitest';
import { api, hang, now, proposed, web } from '../../test/support/healer-objects.ts';
import { description } from './description.ts';
import { story } from './story.ts';
import { incidentView, kuratorView, qualityOf, qualityView } from './tables.ts';
import { viewText } from './view.ts';

const pipe = screenOf({}, {});
const terminal = screenOf({ isTTY: true, columns: 72 }, { NO_COLOR: '1' });
const plainColumns = { namespace: false, wide: false };
const allColumns = { namespace: true, wide: true };
const quality = (columns: typeof plainColumns, screen: Screen) =>
  viewText(qualityView(columns), qualityOf([api, web], [proposed, hang], undefined, now), screen, now);

const pages: Record<string, (screen: Screen) => string> = {
  get: (screen) => viewText(kuratorView(plainColumns), [api, web], screen, now),
  'get-wide': (screen) => viewText(kuratorView(allColumns), [api, web], screen, now),
  'describe-web': (screen) => description(web, [hang], screen, now),
  'describe-api': (screen) => description(api, [proposed], screen, now),
  incidents: (screen) => viewText(incidentView(plainColumns), [proposed, hang], screen, now),
  'incidents-wide': (screen) => viewText(incidentView(allColumns), [proposed, hang], screen, now),
  quality: (screen) => quality(plainColumns, screen),
  'explain-hang': (screen) => story(hang, screen, { full: false }),
  'explain-proposed': (screen) => story(proposed, screen, { full: false }),
};

describe.each(Object.entries(pages))('%s', (name, page) => {
  it('is as it was', async () => {
    await expect(`${page(pipe)}\n`).toMatchFileSnapshot(`../../test/golden/${name}.txt`);
  });

  it('keeps within a terminal, but for what is quoted', () => {
    const lines = page(terminal).split('\n');
    expect(lines.filter((line) => line.length > 72 && !line.includes('| '))).toEqual([]);
  });

  it('says the same in colour', () => {
    const coloured = page(screenOf({ isTTY: true, columns: 72 }, {}));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of them.
    expect(coloured.replaceAll(/\x1b\[\d+m/g, '')).toBe(page(terminal));
    expect(coloured).not.toBe(page(terminal));
  });

  it('lets nothing through that a terminal would obey', () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
    expect(page(pipe)).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
  });
});

it('shows all of the logs when asked for', () => {
  expect(story(hang, pipe, { full: false })).not.toContain('| line 2\n');
  expect(story(hang, pipe, { full: true })).toContain('| line 2\n');
});

it('tells an incident of which next to nothing is recorded', () => {
  const { apiVersion, kind, metadata, spec } = hang;
  expect(story({ apiVersion, kind, metadata, spec }, pipe, { full: false })).toContain('nothing was recorded');
});
