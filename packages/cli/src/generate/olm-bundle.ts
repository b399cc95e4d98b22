/** A bundle for the Operator Lifecycle Manager. */
import { posix } from 'node:path';
import { bundleFiles } from '../olm/bundle-files.ts';
import type { Generator } from './generator.ts';

/** @param folder Where to, below the folder that it is written into; `.` is that folder itself. */
export function bundleIn(folder: string): Generator {
  return {
    description: 'a bundle for the Operator Lifecycle Manager',
    folder,
    optional: true,
    catalogue: true,
    files({ operator, listing, samples = [] }) {
      if (!listing) throw new Error('a bundle needs what catalogues tell');
      const files = bundleFiles({ operator, listing, samples });
      return files.map(({ path, text }) => ({ path: posix.join(folder, path), text }));
    },
  };
}
