/**
 * A reporter of vitest that writes to the file that `KURATOR_RUN_FILE` names what vitest's own `json` reporter leaves out:
 * what hooks and imports took, and the errors that belong to no test, for which a run fails though every test passed.
 */
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

/** @typedef {{ files: import('./times.mjs').FileTimes[], errors: string[] }} Run */

export default class RunReporter {
  /**
   * @param {readonly import('vitest/node').TestModule[]} modules
   * @param {readonly import('vitest').SerializedError[]} errors
   */
  onTestRunEnd(modules, errors) {
    const file = process.env.KURATOR_RUN_FILE;
    /** @type {Run} */
    const run = { files: modules.map(timesOf), errors: errors.map(inWords) };
    if (file) writeFileSync(file, JSON.stringify(run));
  }
}

/** @param {import('vitest').SerializedError} error */
function inWords({ name, message, stack }) {
  return stack ?? `${name}: ${message}`;
}

/**
 * @param {import('vitest/node').TestModule} module
 * @returns {import('./times.mjs').FileTimes}
 */
function timesOf(module) {
  const { environmentSetupDuration, prepareDuration, setupDuration, collectDuration, duration } = module.diagnostic();
  return {
    file: relative(module.project.config.root, module.moduleId),
    loading: environmentSetupDuration + prepareDuration + setupDuration + collectDuration,
    running: duration,
    tests: [...module.children.allTests()].map((test) => ({
      name: test.fullName,
      ms: test.diagnostic()?.duration ?? 0,
    })),
  };
}
