/** `kurator push` */
import { type ImageArchive, type PushedImage, pullImage, pushImage } from '@kurator/testenv';
import type { Action, ActionContext } from '../action.ts';
import { credentialsFor } from './docker-config.ts';
import { registryAddress } from './registry-address.ts';

/** As commander gives them. */
export interface PushOptions {
  insecure?: boolean;
  json?: boolean;
}

type Ways = Pick<ActionContext, 'reporter' | 'signal'>;

export const push: Action<PushOptions, [archive: string, name: string]> = async (context, options, archive, name) => {
  const pushed = await pushTo(archive, name, options, context);
  context.print(options.json ? JSON.stringify(pushed, undefined, 2) : `${pushed.name}@${pushed.digest}`);
  return 0;
};

/** Pushes the image of an archive to where its new name says, as whoever has logged in there. */
export async function pushTo(path: string, name: string, { insecure }: PushOptions, ways: Ways): Promise<PushedImage> {
  const { host, url, target } = registryAddress(name, insecure);
  const { reporter, signal } = ways;
  return await pushImage({ name, path }, url, target, { credentials: await credentialsFor(host), reporter, signal });
}

/** Pulls the image of that name into the cache. */
export async function pullFrom(name: string, { insecure }: PushOptions, ways: Ways): Promise<ImageArchive> {
  const { host, url, target } = registryAddress(name, insecure);
  const { reporter, signal } = ways;
  return await pullImage(url, target, { credentials: await credentialsFor(host), reporter, signal });
}
