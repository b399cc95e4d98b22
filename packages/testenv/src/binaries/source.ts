/** The places that programs come from when no folder was named, and the order in which they are tried. */
import { TestenvError } from '../error.ts';
import { buildEntry } from './build.ts';
import { type BuildRecipe, corednsRecipe, kubernetesRecipe, programsOf, runtimeRecipes } from './build-recipe.ts';
import { type CacheContext, type EntryRecipe, findEntry, obtainEntry } from './cache.ts';
import type { Platform } from './platform.ts';
import type { Program } from './program.ts';
import { releaseEntry } from './release.ts';
import { releasedFirst, releaseOf } from './release-layout.ts';
import { defaultVersion } from './version.ts';

/** A place that programs come from. */
export type SourceName = 'cache' | 'download' | 'build';

/** One cache entry that holds, or could be made to hold, some programs. */
export interface Offer {
  readonly programs: readonly Program[];
  /** Those of them that are no reason to make it: they can be had for less. */
  readonly extras?: readonly Program[];
  readonly entry: EntryRecipe;
  /** Where it comes from, in words for a person. */
  readonly origin: string;
  /** What has to be reachable; where that fails for one offer the others of the same site are not tried. */
  readonly site: string;
}

/** A source at work. */
export interface Source {
  readonly name: SourceName;
  readonly offers: readonly Offer[];
  /** The folder with the offer's programs; undefined where this source does not have it. */
  get(offer: Offer): Promise<string | undefined>;
}

const defaultOrder: readonly SourceName[] = ['cache', 'download', 'build'];
const coredns: readonly Program[] = ['coredns'];
const VARIABLE = 'KURATOR_BINARY_SOURCES';

/**
 * Reads KURATOR_BINARY_SOURCES, a list such as `cache,build`: only these are tried, in this order. Leaving out `cache`
 * does not fetch or build again what is there, but takes from the cache only what came from the sources in the list.
 */
export function sourceOrder(env: NodeJS.ProcessEnv): readonly SourceName[] {
  const text = env[VARIABLE]?.trim();
  if (!text) return defaultOrder;
  return text.split(',').map((part) => {
    const name = defaultOrder.find((known) => known === part.trim());
    if (name) return name;
    throw new TestenvError('KUR_TESTENV_BAD_SETTING', `${VARIABLE} names "${part.trim()}", which is no source.`, {
      remedy: `Set it to a list of ${defaultOrder.join(', ')}, or leave it out.`,
    });
  });
}

/** The sources for one version and platform, in the order that the environment asks for. */
export function sourcesFor(
  version: string,
  platform: Platform,
  context: CacheContext,
  env: NodeJS.ProcessEnv,
): readonly Source[] {
  const releases = releaseOffers(version, platform, context, env);
  const builds = buildOffers(version, platform, context, env);
  // CoreDNS does not follow Kubernetes' versions: the one in the default version's build serves all.
  const shared = { ...offerOf(kubernetesRecipe(defaultVersion, platform), platform, context, env), programs: coredns };
  const sources: Readonly<Record<SourceName, Source>> = {
    cache: { name: 'cache', offers: [...releases, ...builds, shared], get: ({ entry }) => findEntry(context, entry) },
    download: { name: 'download', offers: releases, get: ({ entry }) => obtainEntry(context, entry) },
    build: { name: 'build', offers: builds, get: ({ entry }) => obtainEntry(context, entry) },
  };
  return sourceOrder(env).map((name) => sources[name]);
}

function releaseOffers(version: string, platform: Platform, context: CacheContext, env: NodeJS.ProcessEnv): Offer[] {
  return releasedFirst.flatMap((program) => {
    const release = releaseOf(program, version, platform, env);
    if (!release) return [];
    const entry = releaseEntry(release, platform, context, env);
    const programs = [program, ...(Object.keys(release.also ?? {}) as Program[])];
    return [{ programs, entry, origin: 'the official release', site: release.site }];
  });
}

function buildOffers(version: string, platform: Platform, context: CacheContext, env: NodeJS.ProcessEnv): Offer[] {
  const recipes = [kubernetesRecipe(version, platform), corednsRecipe(platform), ...runtimeRecipes(platform)];
  return recipes.map((recipe) => offerOf(recipe, platform, context, env));
}

function offerOf(recipe: BuildRecipe, platform: Platform, context: CacheContext, env: NodeJS.ProcessEnv): Offer {
  return {
    programs: programsOf(recipe),
    ...(recipe.guest ? { extras: recipe.guest.programs } : {}),
    entry: buildEntry(recipe, platform, context, env),
    origin: 'a build from Go modules',
    site: recipe.module,
  };
}
