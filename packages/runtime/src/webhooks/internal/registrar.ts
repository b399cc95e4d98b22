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
}

/** @returns whether a write of another came in between: then look again. */
export type Seen = (bundle: string | undefined, fresh: boolean) => Promise<'right' | 'overtaken'>;

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
        const metadata = mergedMetadata(live, name, registrant);
        return await unlessOvertaken(() =>
          live ? client.replace(type, { metadata, webhooks }) : client.create(type, { metadata, webhooks }),
        );
      };
    },
  };
}

function withBundle(webhooks: readonly RegisteredWebhook[], bundle: string | undefined): RegisteredWebhook[] {
  if (bundle === undefined) return [...webhooks];
  return webhooks.map((webhook) => ({
    ...webhook,
    clientConfig: { ...webhook.clientConfig, caBundle: encoded(bundle) },
  }));
}

function mergedMetadata(live: Configuration | undefined, name: string, registrant: Registrant) {
  const { labels, annotations } = registrationMetadata(registrant);
  const { managedFields: _, ...known } = live?.metadata ?? { name };
  return {
    ...known,
    labels: { ...known.labels, ...labels },
    ...((known.annotations ?? annotations) && { annotations: { ...known.annotations, ...annotations } }),
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
        const { annotations } = registrationMetadata(registrant);
        const { resourceVersion = '' } = live.metadata;
        const patch = { metadata: { resourceVersion, ...(annotations && { annotations }) }, spec: { conversion } };
        return await unlessOvertaken(() =>
          client.patch(type, { name }, patch, { fieldManager: `${registrant.name}-webhooks` }),
        );
      };
    },
  };
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
