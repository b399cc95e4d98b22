/**
 * Whether one version of an object is known to be older than another. Kubernetes promises since 1.35 that versions are
 * decimal numbers that can be compared; for anything else the answer is no, and the later arrival counts.
 */
export function isOlder(version: string | undefined, than: string | undefined): boolean {
  if (!version || !than || !decimal.test(version) || !decimal.test(than)) return false;
  return version.length === than.length ? version < than : version.length < than.length;
}

const decimal = /^[1-9]\d*$/;
