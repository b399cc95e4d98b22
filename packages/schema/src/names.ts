/** The names of a kind: what Kubernetes demands of them, and what follows from the kind. */
import { SchemaError } from './error.ts';

const label = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?';

const demands = {
  group: [new RegExp(`^${label}(\\.${label})+$`), 'a DNS name such as example.com'],
  version: [/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/, 'a version such as v1, v1beta2 or v2alpha1'],
  kind: [/^[A-Z][A-Za-z0-9]{0,62}$/, 'letters and digits with a capital first, such as MyApp'],
  // Kubernetes takes more than is good style, and so do we of others.
  foreignKind: [/^[A-Za-z]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?$/, 'letters, digits and dashes, such as MyApp'],
  plural: [new RegExp(`^${label}$`), 'small letters, digits and dashes, such as myapps'],
  singular: [new RegExp(`^${label}$`), 'small letters, digits and dashes, such as myapp'],
  shortNames: [new RegExp(`^${label}$`), 'small letters, digits and dashes, such as ma'],
  categories: [new RegExp(`^${label}$`), 'small letters, digits and dashes, such as all'],
} as const;

/** Refuses a name that the server would refuse. @param path Where it stands, if that isn't what it is. */
export function checkName(what: keyof typeof demands, name: unknown, path: string = what): void {
  const [pattern, right] = demands[what];
  if (typeof name === 'string' && pattern.test(name)) return;
  const remedy = `give ${right}`;
  throw new SchemaError('KUR_SCHEMA_NAME', `${JSON.stringify(name)} can't be used; ${remedy}`, { path, remedy });
}
