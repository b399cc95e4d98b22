/** A bundle for the Operator Lifecycle Manager. */
import { bundleFiles } from '../bundle/bundle-files.ts';
import type { Generator } from './generator.ts';

/** @param folder Where to; `deploy/bundle` unless given. */
export function bundleIn(folder: string): Generator {
  return {
    description: 'a bundle for the Operator Lifecycle Manager',
    folder,
    whole: true,
    optional: true,
    catalogue: true,
    files({ operator, listing, samples = [] }) {
      if (!listing) throw new Error('a bundle needs what catalogues tell');
      const files = bundleFiles({ operator, listing, samples });
      return files.map(({ path, text }) => ({ path: `${folder}/${path}`, text }));
    },
  };
}
