/** The documents of a YAML text, each with its value or with what is wrong with it. Pure. */
import { parseAllDocuments } from 'yaml';

export interface YamlDocument {
  /** Null for an empty one, undefined for one that is no YAML. */
  readonly value: unknown;
  readonly problem: string | undefined;
}

export function yamlDocuments(text: string): YamlDocument[] {
  return parseAllDocuments(text).map((document) => {
    const problem = document.errors[0]?.message;
    return { problem, value: problem === undefined ? document.toJS() : undefined };
  });
}

/** Without the picture of the place, which takes lines of its own. */
export function firstLine(problem: string): string {
  return problem.split('\n', 1)[0] ?? '';
}
