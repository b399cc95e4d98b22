/** Reads queries with Prometheus' own grammar, as its web page does: whether they are right, and what they ask for. */
import { parser } from '@prometheus-io/lezer-promql';

/** What a query asks for. */
export interface Query {
  /** By metric: the labels of its selectors. */
  readonly metrics: ReadonlyMap<string, readonly string[]>;
  /** Labels that the result is grouped by, joined on or measured in. */
  readonly grouping: readonly string[];
}

/** @throws Where the query is not PromQL. */
export function readQuery(text: string): Query {
  const metrics = new Map<string, string[]>();
  const grouping: string[] = [];
  let metric = '';
  parser.parse(text).iterate({
    enter({ type, from, to, node }) {
      const here = text.slice(from, to);
      if (type.isError) throw new Error(`not PromQL at "${text.slice(from)}": ${text}`);
      if (type.name === 'Identifier') {
        metric = here;
        metrics.set(metric, metrics.get(metric) ?? []);
      }
      if (type.name !== 'LabelName') return;
      const isMatcher = node.parent?.name === 'UnquotedLabelMatcher';
      (isMatcher ? metrics.get(metric) : grouping)?.push(here);
    },
  });
  return { metrics, grouping };
}
