/**
 * The order in which a stage runs its files: the longest first, so that no worker is left alone with one at the end. How
 * long each took is what vitest remembers of the last run here; on a machine that has never run it, what is known of
 * another (`known-seconds.json`). An end-to-end file that nobody knows yet counts as long: a story that is begun last is waited
 * for alone.
 */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { BaseSequencer } from 'vitest/node';

/** @typedef {import('vitest/node').TestSpecification} TestSpecification */

/** @type {Record<string, number>} */
const knownSeconds = JSON.parse(readFileSync(new URL('known-seconds.json', import.meta.url), 'utf8'));

/** In seconds: longer than any. */
const LONG = 3_600;

export class LongestFirst extends BaseSequencer {
  /**
   * @override
   * @param {TestSpecification[]} files
   */
  async sort(files) {
    const byProject = Map.groupBy(await super.sort(files), ({ project }) => project);
    return [...byProject.values()].flatMap((own) => own.toSorted((a, b) => this.#seconds(b) - this.#seconds(a)));
  }

  /** @param {TestSpecification} file */
  #seconds(file) {
    const { cache, config } = this.ctx;
    const remembered = cache.getTestSpecificationResult(file);
    if (remembered) return remembered.duration / 1_000;
    return knownSeconds[relative(config.root, file.moduleId)] ?? (file.project.name === 'e2e' ? LONG : 0);
  }
}
