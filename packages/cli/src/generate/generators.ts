/** Everything that `kurator generate` can make. To add something, add it here. */
import { base, install } from './base.ts';
import { chart } from './chart.ts';
import { crds } from './crds.ts';
import type { Generator } from './generator.ts';
import { bundleIn } from './olm-bundle.ts';
import { types } from './types.ts';

export const generators: Readonly<Record<string, Generator>> = {
  crds,
  base,
  install,
  types,
  chart,
  bundle: bundleIn('deploy/bundle'),
};
