/** One message for the case that no source could help: what was tried, why each failed, and what to do. */
import { TestenvError, type TestenvErrorCode } from '../error.ts';
import type { Program } from './program.ts';
import type { SourceName } from './source.ts';
import { knownVersions } from './version.ts';

/** Why one source could not provide some programs. */
export interface Failure {
  readonly source: SourceName;
  readonly site: string;
  readonly programs: readonly Program[];
  readonly reason: string;
  /** Whether the site could not be reached at all. */
  readonly unreachable: boolean;
  readonly error: unknown;
}

const generalRemedy =
  'Make one of these reachable (HTTPS_PROXY, GOPROXY, KURATOR_KUBERNETES_URL and KURATOR_ETCD_URL for a mirror), or put the programs into a folder and name it in KUBEBUILDER_ASSETS.';

/** Codes that say more than "nothing worked", and what helps then; undefined stands for the error's own remedy. */
const telling: readonly { code: TestenvErrorCode; remedy?: string }[] = [
  { code: 'KUR_TESTENV_UNKNOWN_VERSION', remedy: knownVersions },
  { code: 'KUR_TESTENV_NO_SPACE' },
];

/** The error for programs that none of the sources has. */
export function noBinaries(programs: readonly Program[], version: string, failures: readonly Failure[]): TestenvError {
  const reasons = failures.map(
    ({ source, programs: wanted, reason }) => `  ${source} (${wanted.join(', ')}): ${reason}`,
  );
  const tried =
    reasons.length === 0
      ? ' The cache has none that works, and no other source may be used.'
      : ` Tried:\n${reasons.join('\n')}`;
  const message = `No ${programs.join(', ')} for Kubernetes ${version} could be had.${tried}`;
  const errors = failures.map(({ error }) => error).filter((error) => error instanceof TestenvError);
  for (const { code, remedy } of telling) {
    const found = errors.find((error) => error.code === code);
    if (found)
      return new TestenvError(code, message, { remedy: remedy ?? found.remedy ?? generalRemedy, cause: found });
  }
  return new TestenvError('KUR_TESTENV_NO_BINARIES', message, { remedy: generalRemedy, cause: errors.at(-1) });
}
