/** A permission that would have been needed. */
export interface MissingRule {
  /** A rule as it stands in a Role or a ClusterRole. */
  readonly rule: {
    readonly verbs: readonly string[];
    readonly apiGroups?: readonly string[];
    readonly resources?: readonly string[];
    readonly nonResourceURLs?: readonly string[];
  };
  /** The namespace in which it was missed; absent for the whole cluster. */
  readonly namespace?: string;
}

/** `User "x" cannot list resource "pods/log" in API group "" in the namespace "team"`, as the API server writes it. */
const aboutResource =
  /cannot (?<verb>\w+) resource "(?<resource>[^"]*)" in API group "(?<group>[^"]*)"(?: in the namespace "(?<namespace>[^"]*)")?/;
const aboutPath = /cannot (?<verb>\w+) path "(?<path>[^"]*)"/;

/** The permission that the server misses, read from its own words; undefined where it refuses for another reason. */
export function missingRule(message: string): MissingRule | undefined {
  const { verb = '', resource = '', group = '', namespace } = aboutResource.exec(message)?.groups ?? {};
  if (verb) {
    const rule = { verbs: [verb], apiGroups: [group], resources: [resource] };
    return namespace ? { rule, namespace } : { rule };
  }
  const { verb: pathVerb = '', path = '' } = aboutPath.exec(message)?.groups ?? {};
  return pathVerb ? { rule: { verbs: [pathVerb], nonResourceURLs: [path] } } : undefined;
}

/** What to put where, in one line that is YAML. */
export function describeRule({ rule, namespace }: MissingRule): string {
  const fields = Object.entries(rule).map(
    ([name, values]) => `${name}: [${values.map((value) => `"${value}"`).join(', ')}]`,
  );
  const where = namespace ? `a Role in the namespace "${namespace}" (or a ClusterRole)` : 'a ClusterRole';
  return `this rule in ${where} would allow it: { ${fields.join(', ')} }`;
}
