/** `kurator push` */
import { readFile } from 'node:fs/promises';
import {
  dockerCredentials,
  formatImageName,
  type ImageName,
  parseImageName,
  type RegistryCredentials,
  registryUrl,
} from '@kurator/registry';
import { type ImageArchive, type PushedImage, pullImage, pushImage } from '@kurator/testenv';
import type { Action, ActionContext } from '../action.ts';
import { CliError } from '../error.ts';

/** As commander gives them. */
export interface PushOptions {
  insecure?: boolean;
  json?: boolean;
  sbom?: string;
}

/** What a bill of materials is, to those who ask what belongs to an image. */
const SPDX = 'application/spdx+json';

type Ways = Pick<ActionContext, 'reporter' | 'signal'>;

export const push: Action<PushOptions, [archive: string, name: string]> = async (context, options, archive, name) => {
  const sbom = options.sbom === undefined ? undefined : await readBill(options.sbom);
  const pushed = await pushTo(archive, name, { ...options, sbom }, context);
  context.print(options.json ? JSON.stringify(pushed, undefined, 2) : `${pushed.name}@${pushed.digest}`);
  return 0;
};

/** Where to, and what goes along. */
interface Parcel {
  readonly insecure?: boolean;
  /** The bill of materials (SPDX), which is put beside the image. */
  readonly sbom?: string | undefined;
}

/** Pushes the image of an archive to where its new name says, as whoever has logged in there. */
export async function pushTo(path: string, name: string, { insecure, sbom }: Parcel, ways: Ways): Promise<PushedImage> {
  const { full, url, target, credentials } = await inRegistry(name, insecure);
  const { reporter, signal } = ways;
  const attachments = sbom === undefined ? [] : [{ artifactType: SPDX, content: Buffer.from(sbom) }];
  const { digest } = await pushImage({ name, path }, url, target, { credentials, attachments, reporter, signal });
  return { name: full, digest };
}

async function readBill(file: string): Promise<string> {
  const wrong = (why: string, cause: unknown) =>
    new CliError('KUR_CLI_USAGE', `--sbom ${file} ${why}`, { remedy: 'kurator build --sbom FILE writes one', cause });
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw wrong("can't be read", cause);
  });
  try {
    JSON.parse(text);
    return text;
  } catch (cause) {
    throw wrong('is not JSON', cause);
  }
}

/** Pulls the image of that name into the cache. */
export async function pullFrom(name: string, { insecure }: Parcel, ways: Ways): Promise<ImageArchive> {
  const { url, target, credentials } = await inRegistry(name, insecure);
  const { reporter, signal } = ways;
  return await pullImage(url, target, { credentials, reporter, signal });
}

interface InRegistry {
  readonly full: string;
  readonly url: string;
  /** `repository:tag` */
  readonly target: string;
  readonly credentials: RegistryCredentials | undefined;
}

/** Where an image is or will be, and who asks for it. @param insecure Whether the registry speaks plain HTTP. */
async function inRegistry(name: string, insecure = false): Promise<InRegistry> {
  const image: ImageName = parseImageName(name);
  const full = formatImageName(image);
  const url = registryUrl(image.host, insecure ? { url: `http://${image.host}` } : {}).origin;
  return { full, url, target: full.slice(image.host.length + 1), credentials: await dockerCredentials()(image) };
}
