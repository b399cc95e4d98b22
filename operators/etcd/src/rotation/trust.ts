/**
 * Whom the process of a member believes. etcd reads its authorities once, when it starts, and its certificate at each handshake: for
 * others to be believed pods are made anew, one after the other; for another certificate nothing is restarted.
 */
import { readBundle, readCertificate } from '@kurator/pki';
import { type AuthorContext, type Manifest, Pod, type Secret } from '@kurator/sdk';
import { believedBy, isGiven, type Trust } from '../children/certificates.ts';
import type { Look } from '../look.ts';

/** On a pod: the ids of the authorities that lay in its Secret when it was made. */
const TRUSTS = 'etcd.kurator.sh/trusts';
/** On a pod: the serial number of the certificate that its Secret has. */
const CERTIFICATE = 'etcd.kurator.sh/certificate';

const idsOf = (trust: Trust): string =>
  readBundle(believedBy(trust))
    .map(({ keyId }) => keyId)
    .join(',');

const isChanging = (trust: Trust): boolean => !isGiven(trust) && (trust.next ?? trust.previous) !== undefined;

export function trusting(trust: Trust, pod: Manifest<Pod>): Manifest<Pod> {
  const annotations = { ...pod.metadata.annotations, [TRUSTS]: idsOf(trust) };
  return { ...pod, metadata: { ...pod.metadata, annotations } };
}

/** A pod that believes others than it should is not as it is wanted: the brain makes it anew when its turn has come. */
export function believing(look: Look, trust: Trust, { owned }: Pick<AuthorContext, 'owned'>): Look {
  const wanted = idsOf(trust);
  const objects = new Map(look.situation.objects);
  for (const { metadata } of owned(Pod)) {
    const own = objects.get(metadata.name);
    // One from before this was written down believes the only authority there was.
    const trusts = metadata.annotations?.[TRUSTS] ?? (isChanging(trust) ? '' : wanted);
    if (own && trusts !== wanted) objects.set(metadata.name, { ...own, upToDate: false });
  }
  return { ...look, situation: { ...look.situation, objects } };
}

/** The kubelet brings a changed Secret to a pod within a minute or two; a pod that is changed itself is seen to at once. */
export async function hurry({ client, owned, signal }: AuthorContext, name: string, secret: Manifest<Secret>) {
  const pod = owned(Pod).find(({ metadata }) => metadata.name === name && !metadata.deletionTimestamp);
  if (!pod) return;
  const { serial } = readCertificate(Buffer.from(secret.data?.['tls.crt'] ?? '', 'base64').toString());
  if (pod.metadata.annotations?.[CERTIFICATE] === serial) return;
  const { namespace } = pod.metadata;
  await client.patch(Pod, { name, namespace }, { metadata: { annotations: { [CERTIFICATE]: serial } } }, { signal });
}
