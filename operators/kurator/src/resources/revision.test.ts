import type { PodTemplateSpec } from '@kurator/sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { restarted, type StoredRevision, type Versions, versionsOf, withoutRestart, withVersions } from './revision.ts';

const template = (image: string, annotations?: Record<string, string>): PodTemplateSpec => ({
  metadata: { labels: { app: 'web' }, ...(annotations && { annotations }) },
  spec: { containers: [{ name: 'main', image }] },
});
const revision = (number: number, of: PodTemplateSpec): StoredRevision => ({ id: `h${number}`, number, template: of });
const versionsIn = (...revisions: StoredRevision[]) => withVersions(revisions).map(({ version }) => version);

describe('a restart', () => {
  it('is of the version that it restarts, also the second time', () => {
    const [one, two, three] = [
      template('web:1'),
      restarted(template('web:1'), 't1'),
      restarted(template('web:1'), 't2'),
    ];
    expect(versionsIn(revision(3, three), revision(2, two), revision(1, one))).toEqual(['h1', 'h1', 'h1']);
  });

  it('of a new version is of that one', () => {
    const [old, fresh] = [template('web:1'), template('web:2')];
    const after = [revision(4, restarted(fresh, 't2')), revision(3, fresh), revision(2, restarted(old, 't1'))];
    expect(versionsIn(...after, revision(1, old))).toEqual(['h3', 'h3', 'h1', 'h1']);
  });

  it('is none where anything else was changed with it', () => {
    const [old, fresh] = [template('web:1'), restarted(template('web:1', { other: 'yes' }), 't1')];
    expect(versionsIn(revision(2, fresh), revision(1, old))).toEqual(['h2', 'h1']);
  });

  it('is still of its version when the revision that it was made from is gone', () => {
    const all = withVersions([revision(2, restarted(template('web:1'), 't1')), revision(1, template('web:1'))]);
    const left = withVersions(all.slice(0, 1), versionsOf(all));
    expect(left.map(({ version }) => version)).toEqual(['h1']);
    const again = withVersions([revision(3, restarted(template('web:1'), 't2')), ...left], versionsOf(left));
    expect(again.map(({ version }) => version)).toEqual(['h1', 'h1']);
  });

  it('needs no memory where there was none', () => {
    const all = withVersions([revision(2, template('web:2')), revision(1, template('web:1'))]);
    expect(versionsOf(all)).toBeUndefined();
  });
});

type Happening = { deploys: number } | { restarts: number } | { keeps: number };

/** What happens to a workload, as its revisions show it: deploys, restarts, ways back, and a history of a few revisions. */
const happenings: fc.Arbitrary<Happening[]> = fc.array(
  fc.oneof(
    fc.record({ deploys: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ restarts: fc.integer({ min: 1, max: 99 }) }),
    fc.record({ keeps: fc.integer({ min: 1, max: 3 }) }),
  ),
  { maxLength: 30 },
);

const textOf = ({ template }: StoredRevision) => JSON.stringify(template);
const contentOf = ({ template }: StoredRevision) => JSON.stringify(withoutRestart(template));

/** As Kubernetes has it: what was there before gets a new number, and no new name. */
function after(revisions: readonly StoredRevision[], happening: Happening, count: number): StoredRevision[] {
  const [newest] = revisions as [StoredRevision];
  if ('keeps' in happening) return revisions.slice(0, happening.keeps);
  const wanted =
    'deploys' in happening
      ? template(`web:${happening.deploys}`)
      : restarted(newest.template, `t${happening.restarts}`);
  const next = revision(count, wanted);
  const before = revisions.find((one) => textOf(one) === textOf(next));
  const others = revisions.filter((one) => one !== before);
  return [{ ...next, id: before?.id ?? next.id, number: newest.number + 1 }, ...others];
}

describe('versions', () => {
  it('are the same for the same template, whoever restarted it and however often, and only for that', () => {
    fc.assert(
      fc.property(happenings, (events) => {
        let revisions = [revision(1, template('web:1'))];
        let known: Versions | undefined;
        for (const [index, event] of events.entries()) {
          revisions = after(revisions, event, index + 2);
          const named = withVersions(revisions, known);
          const pairs = new Set(named.map((one) => `${one.version} ${contentOf(one)}`));
          expect(pairs.size).toBe(new Set(named.map(contentOf)).size);
          expect(pairs.size).toBe(new Set(named.map(({ version }) => version)).size);
          // Once told, the version of a revision is never another one.
          for (const { id, version } of named) expect(known?.[id] ?? version).toBe(version);
          known = versionsOf(named);
        }
      }),
      // One restarted, and its restart undone by a deploy, with nothing but that left.
      { examples: [[[{ restarts: 1 }, { keeps: 1 }, { deploys: 1 }, { keeps: 1 }]]], numRuns: 500 },
    );
  });
});
