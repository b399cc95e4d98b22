/**
 * A reporter of vitest that writes how long each file took, and each of its tests, to the file that
 * `KURATOR_TIMES_FILE` names. vitest's own `json` reporter leaves out what hooks and imports take.
 */
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

export default class TimesReporter {
  /** @param {readonly import('vitest/node').TestModule[]} modules */
  onTestRunEnd(modules) {
    const file = process.env.KURATOR_TIMES_FILE;
    if (file) writeFileSync(file, JSON.stringify(modules.map(timesOf)));
  }
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
