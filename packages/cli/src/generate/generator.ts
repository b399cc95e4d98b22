/** What a generator is: a pure function from what is known of an operator to the text of files. */
import type { KubernetesObject } from '@kurator/client';
import type { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import type { PlannedFile } from '../files/template.ts';
import type { OperatorDescription } from '../manifests/description.ts';
import type { Listing } from '../olm/listing.ts';

/** All that generators may look at. */
export interface Known {
  /** The operator: its kinds, its permissions, and how it is to be run. */
  readonly operator: OperatorDescription;
  /** The definitions of other people's kinds, from the project's folder `crds`. */
  readonly foreign: readonly CustomResourceDefinition[];
  /** What catalogues tell people of it; only for generators that want it. */
  readonly listing?: Listing;
  /** Objects of its kinds to start from, from the project's folder `samples`; only for generators that want them. */
  readonly samples?: readonly KubernetesObject[];
}

/** Makes some files of a project. What it wrote into its folder before, and makes no more, is removed. */
export interface Generator {
  /** In words, for `--help`. */
  readonly description: string;
  /** Where its files are, below the project's folder. Nobody else generates files there. */
  readonly folder: string;
  /** Whether it wants to know what catalogues tell: read only for those who do. False unless given. */
  readonly catalogue?: boolean;
  /** Runs only when it is asked for by its name, or once its folder is there. False unless given. */
  readonly optional?: boolean;
  files(known: Known): PlannedFile[];
}
