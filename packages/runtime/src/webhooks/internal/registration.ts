/** What the API server must be told so that it calls us: pure, so that a test can look at it. */
import type { LabelSelector, ObjectMeta } from '@kurator/client';
import type {
  MutatingWebhook,
  RuleWithOperations,
  ValidatingWebhook,
  WebhookClientConfig,
} from '@kurator/client/admissionregistration/v1';
import { type AdmissionHook, type ConversionHook, groupVersionOf } from './hook.ts';

/** Who registers, and where it can be reached. */
export interface Registrant {
  readonly name: string;
  readonly namespace: string;
  /** Without a path; already with the port that is listened on. */
  readonly address:
    | { readonly service: { readonly name: string; readonly namespace: string; readonly port: number } }
    | { readonly url: string };
  /** For cert-manager. */
  readonly injectCaFrom: string | undefined;
  /** Whether everything becomes what it was before when it ends. */
  readonly temporary: boolean;
}

/** Either kind of webhook: the mutating one has all that the other has. */
export type RegisteredWebhook = ValidatingWebhook & Pick<MutatingWebhook, 'reinvocationPolicy'>;

const INJECT = 'cert-manager.io/inject-ca-from';
const NAMESPACE_NAME = 'kubernetes.io/metadata.name';

/** @param caBundle base64; undefined where another puts it in. */
export function webhookFor(
  hook: AdmissionHook,
  registrant: Registrant,
  caBundle: string | undefined,
): RegisteredWebhook {
  const { options, type, timeoutSeconds, name, path } = hook;
  const { operations = ['CREATE', 'UPDATE'], subresources = [], matchConditions = [] } = options;
  const { group, version } = groupVersionOf(type);
  const rule: RuleWithOperations = {
    apiGroups: [group],
    apiVersions: [version],
    operations: [...operations],
    resources: [type.plural, ...subresources.map((subresource) => `${type.plural}/${subresource}`)],
    scope: type.namespaced ? 'Namespaced' : 'Cluster',
  };
  return {
    name,
    admissionReviewVersions: ['v1'],
    clientConfig: clientConfig(registrant, path, caBundle),
    rules: [rule],
    // Whichever version of the kind a user sends, it is asked about, and converted to the one that the handler knows.
    matchPolicy: 'Equivalent',
    failurePolicy: options.failurePolicy ?? 'Fail',
    sideEffects: options.sideEffects ?? 'None',
    timeoutSeconds,
    namespaceSelector: namespaceSelector(hook, registrant.namespace),
    objectSelector: options.objectSelector ?? {},
    ...(matchConditions.length > 0 && { matchConditions: matchConditions.map((condition) => ({ ...condition })) }),
    ...(hook.sort === 'mutate' && { reinvocationPolicy: options.reinvoke ? 'IfNeeded' : 'Never' }),
  };
}

/**
 * As a merge patch. By applying it, the address that somebody else has set, or put back, would stay beside ours, and the
 * server takes only one.
 */
export function conversionFor(hook: ConversionHook, registrant: Registrant, caBundle: string | undefined) {
  const noOther = { url: null, service: null };
  return {
    strategy: 'Webhook',
    webhook: {
      clientConfig: { ...noOther, ...clientConfig(registrant, hook.path, caBundle) },
      conversionReviewVersions: ['v1'],
    },
  };
}

/** What of our own goes into the metadata of everything that we register. */
export function registrationMetadata({ name, injectCaFrom }: Registrant): Pick<ObjectMeta, 'labels' | 'annotations'> {
  return {
    labels: { 'app.kubernetes.io/managed-by': name },
    ...(injectCaFrom && { annotations: { [INJECT]: injectCaFrom } }),
  };
}

function clientConfig({ address }: Registrant, path: string, caBundle: string | undefined): WebhookClientConfig {
  const place = 'url' in address ? { url: `${address.url}${path}` } : { service: { ...address.service, path } };
  return { ...place, ...(caBundle !== undefined && { caBundle }) };
}

function namespaceSelector({ options, type }: AdmissionHook, own: string): LabelSelector {
  const selector = options.namespaceSelector ?? {};
  const except = options.exceptNamespaces ?? (isOfKubernetes(groupVersionOf(type).group) ? ['kube-system', own] : []);
  if (except.length === 0) return selector;
  const others = { key: NAMESPACE_NAME, operator: 'NotIn', values: [...except] };
  return { ...selector, matchExpressions: [...(selector.matchExpressions ?? []), others] };
}

/** Groups without a dot are Kubernetes' own, and `k8s.io` is reserved for it. */
function isOfKubernetes(group: string): boolean {
  return !group.includes('.') || group.endsWith('.k8s.io');
}
