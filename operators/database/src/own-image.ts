/** Which image this operator runs from: the brains of instances run from the same one. */
import { type Client, Pod } from '@kurator/sdk';

/** Says it, where the operator can't find out: it runs outside of a cluster, or can't read its own pod. */
const IMAGE_VARIABLE = 'KURATOR_DATABASE_IMAGE';

let found: Promise<string> | undefined;

/** @throws With the remedy, where it can't be known. */
export async function ownImage(client: Client, environment = process.env): Promise<string> {
  const given = environment[IMAGE_VARIABLE];
  if (given) return given;
  found ??= ask(client, environment).catch((error) => {
    found = undefined;
    throw error;
  });
  return await found;
}

async function ask(client: Client, { HOSTNAME: name, POD_NAMESPACE, KUBERNETES_SERVICE_HOST }: NodeJS.ProcessEnv) {
  const namespace = POD_NAMESPACE ?? client.config.namespace;
  if (!KUBERNETES_SERVICE_HOST || !name || !namespace) {
    throw new Error(`instances run the operator's own image beside postgres: say which one it is by ${IMAGE_VARIABLE}`);
  }
  const pod = await client.get(Pod, { name, namespace });
  const image = pod.spec?.containers[0]?.image;
  if (!image) throw new Error(`the pod ${namespace}/${name} has no image: say which one it is by ${IMAGE_VARIABLE}`);
  return image;
}
