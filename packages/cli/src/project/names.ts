/** What people may call things: checked before anything is made, with what would be right. Pure. */
const label = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?';

/** What each thing must look like, and what would be right, in words. */
const demands = {
  domain: [new RegExp(`^${label}(\\.${label})+$`), 'a DNS name such as example.com'],
  repo: [
    /^[a-z0-9.-]+(:\d+)?(\/[A-Za-z0-9][A-Za-z0-9._-]*)+$/,
    'a host and a path such as github.com/example/web-operator',
  ],
  name: [/^[a-z]([-a-z0-9]{0,51}[a-z0-9])?$/, 'at most 53 small letters, digits and dashes, such as web-operator'],
  group: [
    new RegExp(`^${label}(\\.${label})*$`),
    'small letters, digits and dashes, such as apps; with a dot it is taken whole',
  ],
  version: [/^v[1-9]\d*((alpha|beta)[1-9]\d*)?$/, 'a version such as v1, v1beta2 or v2alpha1'],
  kind: [/^[A-Z][A-Za-z0-9]{0,62}$/, 'letters and digits with a capital first, such as MyApp'],
} as const satisfies Record<string, readonly [RegExp, string]>;

/** What can be named. */
export type Named = keyof typeof demands;

/** What is wrong with a value; undefined if nothing is. */
export function problemOf(what: Named, value: string): string | undefined {
  const [pattern, right] = demands[what];
  const isTooLong = what === 'domain' && value.length > 200;
  return pattern.test(value) && !isTooLong ? undefined : `use ${right}`;
}

/**
 * The API group: `apps` of `example.com` is `apps.example.com`. One with a dot is whole already, and `example` of
 * `example.com` is `example.com`: nobody means it twice.
 */
export function groupOf(group: string, domain: string): string {
  if (group.includes('.')) return group;
  return domain.startsWith(`${group}.`) ? domain : `${group}.${domain}`;
}

/** The folder of a kind: `MyApp` lives in `myapp`. */
export function folderOf(kind: string): string {
  return kind.toLowerCase();
}
