/** Looks at the registry of a workload's image, as far as its policy needs it. */
import { parseImageName, RegistryError } from '@kurator/registry';
import { choose } from '../brain/choose.ts';
import type { Sight } from '../brain/decide.ts';
import { filterOf } from '../brain/filter.ts';
import { tagOf } from '../brain/image-text.ts';
import { MOST_OFFERS } from '../brain/memory.ts';
import type { ImageUpdate } from '../resources.ts';
import type { LogIns } from './log-ins.ts';
import { type Looks, troubleWith, type View } from './looks.ts';

/** What was seen, and when to look again. */
export interface Seen {
  readonly sight: Sight;
  /** Why the registry could not be asked; undefined if it answered, whatever it said. */
  readonly trouble?: { readonly reason: string; readonly message: string };
  /** In milliseconds since 1970. */
  readonly again: number;
}

/** Where and how it is looked. */
export interface Looking {
  readonly looks: Looks;
  readonly logIns: LogIns;
  readonly interval: number;
  readonly now: number;
}

/** Never throws for what a registry does: then nobody knows, and nothing follows. */
export async function see({ spec }: ImageUpdate, image: string, looking: Looking): Promise<Seen> {
  const { looks, logIns, interval, now } = looking;
  let view: View | undefined;
  try {
    view = looks.view(parseImageName(image), logIns, interval, now);
    const sight = await ask(spec, image, view);
    return { sight, again: view.validUntil(interval) };
  } catch (error) {
    const message = troubleWith(error, logIns);
    const again = view?.validUntil(interval) ?? now + interval;
    const reason = reasonOf(error);
    if (reason === undefined) return { sight: { is: 'unknown', why: message }, again };
    return { sight: { is: 'unknown', why: message }, trouble: { reason, message }, again };
  }
}

/** Undefined for what is not the registry's fault. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof RegistryError) return reasons[error.code] ?? 'RegistryTrouble';
  return error instanceof DOMException && error.name === 'TimeoutError' ? 'Unreachable' : undefined;
}

const reasons: Readonly<Partial<Record<RegistryError['code'], string>>> = {
  KUR_REGISTRY_DENIED: 'Denied',
  KUR_REGISTRY_RATE_LIMITED: 'RateLimited',
  KUR_REGISTRY_UNREACHABLE: 'Unreachable',
  KUR_REGISTRY_TIMEOUT: 'Unreachable',
  KUR_REGISTRY_TLS: 'NotTrusted',
  KUR_REGISTRY_NOT_FOUND: 'NotFound',
  KUR_REGISTRY_CREDENTIALS: 'BadPullSecret',
  KUR_REGISTRY_BAD_CONTENT: 'BadContent',
  KUR_REGISTRY_SERVER: 'ServerError',
};

async function ask({ policy, filter }: ImageUpdate['spec'], image: string, view: View): Promise<Sight> {
  const running = tagOf(image);
  if (policy.digest) return await followed(policy.digest.tag, running, view);
  const tags = await view.tags();
  const accepts = filterOf(filter);
  const builds = policy.newestBuild ? await view.builds(tags.filter((tag) => 'text' in accepts(tag))) : undefined;
  const choice = choose({ policy, filter, running, tags, builds });
  if (choice.is === 'unknown') return { is: 'unknown', why: choice.why };
  const newer: { tag: string; digest: string }[] = [];
  for (const tag of choice.newer.slice(0, MOST_OFFERS)) {
    const digest = await view.digest(tag);
    // It may have gone since it was listed.
    if (digest !== undefined) newer.push({ tag, digest });
  }
  return { is: 'known', newer };
}

/** One HEAD is all that a tag that is followed costs. */
async function followed(tag: string, running: string | undefined, view: View): Promise<Sight> {
  if (running !== tag) {
    const why = `${running ?? 'an image without a tag'} runs, and spec.policy.digest follows ${tag}: set the image to that tag, once`;
    return { is: 'unknown', why };
  }
  const digest = await view.digest(tag);
  if (digest === undefined) return { is: 'unknown', why: `the registry has no tag ${tag}` };
  return { is: 'known', newer: [{ tag, digest }] };
}
