/** `kurator push` */
import { type Action, type ActionContext, CliError, readNamed, withNamedFile } from '@kurator/command';
import { isForPrograms, type OutputOptions, serialised } from '@kurator/command/kube';
import {
  dockerCredentials,
  formatImageName,
  type ImageName,
  type Platform,
  type ProxySettings,
  parseImageName,
  proxiesOf,
  type RegistryCredentials,
  registryUrl,
} from '@kurator/registry';
import { type ImageArchive, type PushedImage, pullImage, pushImage } from '@kurator/testenv';

/** As commander gives them. */
export interface PushOptions extends OutputOptions {
  insecure?: boolean;
  sbom?: string;
}

/** What a bill of materials is, to those who ask what belongs to an image. */
const SPDX = 'application/spdx+json';

type Ways = Pick<ActionContext, 'reporter' | 'signal'>;

export const push: Action<PushOptions, [archive: string, name: string]> = async (context, options, archive, name) => {
  if (archive === '-' && options.sbom === '-') {
    throw new CliError('KUR_CLI_USAGE', 'the archive and --sbom are both -, and there is one standard input', {
      remedy: 'name a file for one of them',
    });
  }
  const sbom = options.sbom === undefined ? undefined : await readBill(options.sbom);
  const send = async (path: string) => await pushTo(path, name, { ...options, sbom }, context);
  const pushed = await withNamedFile('archive', archive, send, context);
  context.print(isForPrograms(options) ? await serialised(pushed, options, context.screen) : pinned(pushed));
  return 0;
};

/** The name that stands for this content for ever: what a pod, or a script, should write. */
export function pinned({ name, digest }: PushedImage): string {
  return `${name}@${digest}`;
}

/** Where to, and what goes along. */
interface Parcel {
  readonly insecure?: boolean;
  /** The bill of materials (SPDX), which is put beside the image. */
  readonly sbom?: string | undefined;
}

/** Pushes the image of an archive to where its new name says, as whoever has logged in there. */
export async function pushTo(path: string, name: string, { insecure, sbom }: Parcel, ways: Ways): Promise<PushedImage> {
  const { full, url, target, ...access } = await inRegistry(name, insecure);
  const { reporter, signal } = ways;
  const attachments = sbom === undefined ? [] : [{ artifactType: SPDX, content: Buffer.from(sbom) }];
  const { digest } = await pushImage({ name, path }, url, target, { ...access, attachments, reporter, signal });
  return { name: full, digest };
}

async function readBill(file: string): Promise<string> {
  const wrong = (why: string, cause: unknown) =>
    new CliError('KUR_CLI_USAGE', `--sbom ${file} ${why}`, { remedy: 'kurator build --sbom FILE writes one', cause });
  const text = await readNamed('--sbom', file).catch((cause) => {
    throw cause instanceof CliError ? cause : wrong("can't be read", cause);
  });
  try {
    JSON.parse(text);
    return text;
  } catch (cause) {
    throw wrong('is not JSON', cause);
  }
}

/** Pulls the image of that name into the cache, as it is for a platform; this machine's unless given. */
export async function pullFrom(
  name: string,
  { insecure, platform }: Pick<Parcel, 'insecure'> & { readonly platform?: Platform | undefined },
  ways: Ways,
): Promise<ImageArchive> {
  const { url, target, ...access } = await inRegistry(name, insecure);
  const { reporter, signal } = ways;
  return await pullImage(url, target, { ...access, platform, reporter, signal });
}

interface InRegistry {
  readonly full: string;
  readonly url: string;
  /** `repository:tag` */
  readonly target: string;
  readonly credentials: RegistryCredentials | undefined;
  /** As the environment says: HTTPS_PROXY, HTTP_PROXY, NO_PROXY. */
  readonly proxy: ProxySettings;
}

/** Where an image is or will be, and who asks for it. @param insecure Whether the registry speaks plain HTTP. */
async function inRegistry(name: string, insecure = false): Promise<InRegistry> {
  const image: ImageName = parseImageName(name);
  const full = formatImageName(image);
  const url = registryUrl(image.host, insecure ? { url: `http://${image.host}` } : {}).origin;
  const [credentials, proxy] = [await dockerCredentials()(image), proxiesOf(process.env)];
  return { full, url, target: full.slice(image.host.length + 1), credentials, proxy };
}
