/** A Helm chart of the operator. */
import { chartFiles } from '../chart/chart.ts';
import type { Generator } from './generator.ts';

const folder = 'deploy/chart';

export const chart: Generator = {
  description: 'a Helm chart',
  folder,
  optional: true,
  files({ operator }) {
    const { name, image, version = '0.0.0' } = operator;
    const repository = image.replace(/:[^/]*$/, '');
    const parts = [{ facts: operator, key: 'operator', repository, enabled: true }];
    const files = chartFiles({ name, description: `The operator ${name}`, version, operators: parts });
    return files.map(({ path, text }) => ({ path: `${folder}/${path}`, text }));
  },
};
