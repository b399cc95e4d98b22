/**
 * Keeps the API server informed: writes the registrations when the operator starts, puts them back when they are gone,
 * and keeps the bundle of authorities in them. What people change in them besides is left alone until the next start:
 * who sets `failurePolicy: Ignore` in an emergency must not be fought by the operator.
 *
 * Every write is conditional on what was read *before* the bundle was looked up. So a replica that holds an old bundle
 * can't overwrite a newer one: whoever wrote that has changed the object since.
 */
import { type Client, hasCode, isAlreadyExists, isConflict, type KubernetesObject } from '@kurator/client';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@kurator/client/admissionregistration/v1';
import { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import { RuntimeError } from '../../error.ts';
import { sameJson } from '../../writing/json.ts';
import { FORMER_ANNOTATION, formerOf, pointsAt, withoutFormer } from './former.ts';
import { type AdmissionHook, type ConversionHook, groupVersionOf } from './hook.ts';
import {
  conversionFor,
  type RegisteredWebhook,
  type Registrant,
  registrationMetadata,
  webhookFor,
} from './registration.ts';

/** One object of the API server in which we are registered. */
export interface Place {
  readonly type:
    | typeof ValidatingWebhookConfiguration
    | typeof MutatingWebhookConfiguration
    | typeof CustomResourceDefinition;
  readonly name: string;
  /** Reads it; what comes back makes it right for a bundle of authorities. */
  look(): Promise<Seen>;
  /** Makes it what it was before a temporary registrant came, unless somebody else is registered there by now. */
  restore(): Promise<'right' | 'overtaken'>;
}

/** @returns whether a write of another came in between: then look again. */
export type Seen = (bundle: string | undefined, fresh: boolean) => Promise<'right' | 'overtaken'>;

/** The process is ending: nothing may hold that up for long. */
const RESTORING = { timeout: 2_000 };

export interface Hooks {
  readonly admission: readonly AdmissionHook[];
  readonly conversion: readonly ConversionHook[];
}

export function placesOf(client: Client, registrant: Registrant, { admission, conversion }: Hooks): Place[] {
  const sorted = (sort: AdmissionHook['sort']) => admission.filter((hook) => hook.sort === sort);
  return [
    configuration(client, ValidatingWebhookConfiguration, registrant, sorted('validate')),
    configuration(client, MutatingWebhookConfiguration, registrant, sorted('mutate')),
    ...conversion.map((hook) => definition(client, registrant, hook)),
  ];
}

interface Configuration extends KubernetesObject {
  webhooks?: RegisteredWebhook[];
}

function configuration(
  client: Client,
  type: typeof ValidatingWebhookConfiguration | typeof MutatingWebhookConfiguration,
  registrant: Registrant,
  hooks: readonly AdmissionHook[],
): Place {
  const { name } = registrant;
  const wanted = (live: Configuration | undefined, bundle: string | undefined): RegisteredWebhook[] =>
    hooks.map((hook) => {
      // Where another puts the bundle in, what it has put in stays.
      const known = live?.webhooks?.find((webhook) => webhook.name === hook.name)?.clientConfig.caBundle;
      return webhookFor(hook, registrant, bundle === undefined ? known : encoded(bundle));
    });
  return {
    type,
    name,
    async look() {
      const live: Configuration | undefined = await client.find(type, { name });
      return async (bundle, fresh) => {
        // With nothing to register an old registration is emptied, not deleted: an older replica would make it anew.
        if (!live && hooks.length === 0) return 'right';
        const webhooks = fresh || !live ? wanted(live, bundle) : withBundle(live.webhooks ?? [], bundle);
        if (live && !fresh && sameJson(live.webhooks ?? [], webhooks)) return 'right';
        const metadata = mergedMetadata(live, name, registrant, fresh);
        return await unlessOvertaken(() =>
          live ? client.replace(type, { metadata, webhooks }) : client.create(type, { metadata, webhooks }),
        );
      };
    },
    async restore() {
      const live: Configuration | undefined = await client.find(type, { name }, RESTORING);
      const former = live?.metadata.annotations?.[FORMER_ANNOTATION];
      if (!live || former === undefined) return 'right';
      if (live.webhooks?.some(({ clientConfig }) => !pointsAt(registrant, clientConfig))) return 'right';
      const before = JSON.parse(former) as FormerConfiguration | null;
      const { managedFields: _, ...metadata } = live.metadata;
      const { uid = '', resourceVersion = '' } = metadata;
      return await unlessOvertaken(() => {
        if (!before) return client.delete(type, { name }, { ...RESTORING, preconditions: { uid, resourceVersion } });
        const { labels, annotations, webhooks } = before;
        return client.replace(type, { metadata: { ...metadata, labels, annotations }, webhooks }, RESTORING);
      });
    },
  };
}

/** What of a configuration a registrant changes. */
interface FormerConfiguration {
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
  readonly webhooks: RegisteredWebhook[];
}

function formerConfiguration(live: Configuration | undefined): FormerConfiguration | undefined {
  if (!live) return undefined;
  const { labels = {}, annotations } = live.metadata;
  return { labels, annotations: withoutFormer(annotations), webhooks: live.webhooks ?? [] };
}

function withBundle(webhooks: readonly RegisteredWebhook[], bundle: string | undefined): RegisteredWebhook[] {
  if (bundle === undefined) return [...webhooks];
  return webhooks.map((webhook) => ({
    ...webhook,
    clientConfig: { ...webhook.clientConfig, caBundle: encoded(bundle) },
  }));
}

function mergedMetadata(live: Configuration | undefined, name: string, registrant: Registrant, fresh: boolean) {
  const { labels, annotations } = registrationMetadata(registrant);
  const { managedFields: _, ...known } = live?.metadata ?? { name };
  const addresses = live?.webhooks?.map(({ clientConfig }) => clientConfig) ?? [];
  const keeping = { annotations: known.annotations, fresh, addresses, live: formerConfiguration(live) };
  return {
    ...known,
    labels: { ...known.labels, ...labels },
    annotations: {
      ...withoutFormer(known.annotations),
      ...annotations,
      ...(registrant.temporary && { [FORMER_ANNOTATION]: formerOf(registrant, keeping) }),
    },
  };
}

/** Of a definition, which others own, only the conversion is ours. */
function definition(client: Client, registrant: Registrant, hook: ConversionHook): Place {
  const type = CustomResourceDefinition;
  const name = `${hook.type.plural}.${groupVersionOf(hook.type).group}`;
  return {
    type,
    name,
    async look() {
      const live = await client.find(type, { name });
      return async (bundle, fresh) => {
        if (!live) throw notInstalled(name);
        const known = live.spec.conversion?.webhook?.clientConfig?.caBundle;
        const conversion = conversionFor(hook, registrant, bundle === undefined ? undefined : encoded(bundle));
        if (
          !fresh &&
          live.spec.conversion?.strategy === 'Webhook' &&
          (bundle === undefined || known === encoded(bundle))
        ) {
          return 'right';
        }
        const former = registrant.temporary ? formerOf(registrant, keepingOf(live, fresh)) : null;
        const annotations = { ...registrationMetadata(registrant).annotations, [FORMER_ANNOTATION]: former };
        const { resourceVersion = '' } = live.metadata;
        const patch = { metadata: { resourceVersion, annotations }, spec: { conversion } };
        return await unlessOvertaken(() =>
          client.patch(type, { name }, patch, { fieldManager: `${registrant.name}-webhooks` }),
        );
      };
    },
    async restore() {
      const live = await client.find(type, { name }, RESTORING);
      const former = live?.metadata.annotations?.[FORMER_ANNOTATION];
      const config = live?.spec.conversion?.webhook?.clientConfig;
      if (!live || former === undefined || !config || !pointsAt(registrant, config)) return 'right';
      const patch = [
        // The server refuses an older one: then somebody was quicker.
        { op: 'replace', path: '/metadata/resourceVersion', value: live.metadata.resourceVersion },
        { op: 'replace', path: '/spec/conversion', value: JSON.parse(former) },
        { op: 'remove', path: `/metadata/annotations/${FORMER_ANNOTATION.replaceAll('/', '~1')}` },
      ];
      return await unlessOvertaken(() => client.patch(type, { name }, patch, { ...RESTORING, type: 'json' }));
    },
  };
}

function keepingOf({ metadata: { annotations }, spec: { conversion } }: CustomResourceDefinition, fresh: boolean) {
  const live = conversion ?? { strategy: 'None' };
  return { annotations, fresh, addresses: [conversion?.webhook?.clientConfig], live };
}

async function unlessOvertaken(write: () => Promise<unknown>): Promise<'right' | 'overtaken'> {
  try {
    await write();
    return 'right';
  } catch (error) {
    // Gone in between is overtaken too.
    if (isConflict(error) || isAlreadyExists(error) || hasCode(error, 'KUR_CLIENT_NOT_FOUND')) return 'overtaken';
    throw error;
  }
}

function notInstalled(name: string): RuntimeError {
  return new RuntimeError('KUR_RUNTIME_NO_DEFINITION', `there is no CustomResourceDefinition ${name}`, {
    remedy: 'install it: its conversion is registered as soon as it is there',
  });
}

function encoded(pem: string): string {
  return Buffer.from(pem).toString('base64');
}
