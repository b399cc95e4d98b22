/** Who depends on whom: a graph without cycles, or an answer that names the cycle. */

/** Each service with what it depends on. */
export type Dependencies = ReadonlyMap<string, readonly string[]>;

/** Either an order in which every service comes after what it depends on, or a cycle. */
export type DependencyOrder =
  | { readonly order: readonly string[]; readonly cycle?: never }
  | { readonly cycle: readonly string[]; readonly order?: never };

/**
 * Orders services so that causes come first. Names that nobody describes are left out.
 *
 * @returns The cycle as it is walked, its first name repeated at the end: `['a', 'b', 'a']`.
 */
export function orderOf(dependencies: Dependencies): DependencyOrder {
  const done = new Set<string>();
  for (const start of dependencies.keys()) {
    const cycle = visit(dependencies, start, done);
    if (cycle) return { cycle };
  }
  return { order: [...done] };
}

/** Walks down from one service without recursion: a chain of thousands must not end on the stack. */
function visit(dependencies: Dependencies, start: string, done: Set<string>): string[] | undefined {
  const path: { name: string; rest: readonly string[]; next: number }[] = [];
  const onPath = new Set<string>();
  const enter = (name: string) => {
    path.push({ name, rest: dependencies.get(name) ?? [], next: 0 });
    onPath.add(name);
  };
  if (!done.has(start)) enter(start);
  for (let top = path.at(-1); top; top = path.at(-1)) {
    const next = top.rest[top.next++];
    if (next === undefined) {
      path.pop();
      onPath.delete(top.name);
      done.add(top.name);
    } else if (onPath.has(next)) {
      const names = path.map(({ name }) => name);
      return [...names.slice(names.indexOf(next)), next];
    } else if (dependencies.has(next) && !done.has(next)) enter(next);
  }
  return undefined;
}

/** A sentence about a cycle, for whoever wrote the spec: it names every service on it. */
export function cycleInWords(cycle: readonly string[]): string {
  return `dependsOn goes in a circle: ${cycle.join(' → ')}; take one of these out`;
}

/** Who depends on each service directly. */
export function dependantsOf(dependencies: Dependencies): Map<string, string[]> {
  const dependants = new Map<string, string[]>([...dependencies.keys()].map((name) => [name, []]));
  for (const [name, needed] of dependencies) {
    for (const one of needed) dependants.get(one)?.push(name);
  }
  return dependants;
}
