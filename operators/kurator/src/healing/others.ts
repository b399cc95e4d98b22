import type { Others } from './alerting.ts';
import type { Case } from './case.ts';

const most = 100;

/** How the components around a service do, in a word each: what it depends on, and what depends on it. */
export function othersOf({ relations, ward }: Case): Others {
  const dependencies = relations.dependencies.map(({ name, state }) => [name, state]);
  const dependants = relations.dependants.map(({ name }) => [
    name,
    ward.weather.get(name)?.asDependency.state ?? 'unknown',
  ]);
  return Object.fromEntries([...dependencies, ...dependants].slice(0, most));
}
