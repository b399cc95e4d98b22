/** What a ClusterServiceVersion must say. Pure. */
import { type ClusterServiceVersion, capabilityLevels, csvName, installModeTypes } from '../cluster-service-version.ts';
import { error, type Finding, unless, warning } from '../finding.ts';
import type { Loose } from '../shape.ts';

/** As it was read: any field may be missing. */
type Csv = Loose<ClusterServiceVersion>;

const SEMVER = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;
const EMAIL = /^[^@\s]+@[^@\s]+\.[^@\s]+$/;
const pictures = new Set(['image/svg+xml', 'image/png', 'image/jpeg', 'image/gif']);

/** As the public catalogue knows them. */
const categories = new Set([
  'AI/Machine Learning',
  'Application Runtime',
  'Big Data',
  'Cloud Provider',
  'Database',
  'Developer Tools',
  'Development Tools',
  'Drivers and plugins',
  'Integration & Delivery',
  'Logging & Tracing',
  'Modernization & Migration',
  'Monitoring',
  'Networking',
  'OpenShift Optional',
  'Observability',
  'Security',
  'Storage',
  'Streaming & Messaging',
]);

export function csvRules(csv: Csv): Finding[] {
  return [...identityRules(csv), ...presentationRules(csv), ...annotationRules(csv), ...installRules(csv)];
}

function identityRules({ metadata, spec }: Csv): Finding[] {
  const { name = '' } = metadata ?? {};
  const [operator = ''] = name.split('.v');
  const { version = '', replaces, minKubeVersion } = spec ?? {};
  return [
    ...unless(SEMVER.test(version), error('spec.version', `"${version}" is no version`, 'write one such as 1.2.0')),
    ...unless(
      name === csvName(operator, version),
      error('metadata.name', `${name} does not end in v${version}`, `call it ${csvName(operator, version)}`),
    ),
    ...unless(
      replaces === undefined || replaces !== name,
      error('spec.replaces', 'it replaces itself', 'name the version before, or leave it out'),
    ),
    ...unless(
      minKubeVersion === undefined || SEMVER.test(minKubeVersion),
      error('spec.minKubeVersion', `"${minKubeVersion}" is no version`, 'write one such as 1.30.0'),
    ),
    ...unless(
      minKubeVersion,
      warning('spec.minKubeVersion', 'it is not said', 'set kurator.bundle.minKubeVersion in package.json'),
    ),
  ];
}

function presentationRules({ spec }: Csv): Finding[] {
  const { displayName, description, icon = [], keywords = [], maintainers = [], provider, links = [] } = spec ?? {};
  const wrongIcon = icon.find(({ base64data, mediatype }) => !pictures.has(mediatype ?? '') || !isBase64(base64data));
  const unreachable = maintainers.find(({ name, email = '' }) => !name || !EMAIL.test(email));
  const badLink = links.find(({ url = '' }) => !URL.canParse(url));
  return [
    ...unless(displayName, error('spec.displayName', 'it has no name for people', 'set kurator.bundle.displayName')),
    ...unless(description, error('spec.description', 'it has no description', 'write a README.md')),
    ...unless(provider?.name, error('spec.provider.name', 'nobody provides it', 'set "author" in package.json')),
    ...unless(
      maintainers.length > 0,
      error('spec.maintainers', 'nobody maintains it', 'set "author" in package.json, as Ada <ada@example.com>'),
    ),
    ...unless(
      !unreachable,
      error('spec.maintainers', `${unreachable?.name} has the address "${unreachable?.email}"`, 'give a right one'),
    ),
    ...unless(icon.length === 1, warning('spec.icon', `there are ${icon.length} icons`, 'give one')),
    ...unless(!wrongIcon, error('spec.icon', 'it is no picture', 'use an SVG, PNG, JPEG or GIF as base64')),
    ...unless(keywords.length > 0, warning('spec.keywords', 'there are none', 'set "keywords" in package.json')),
    ...unless(links.length > 0, warning('spec.links', 'there are none', 'set "homepage" in package.json')),
    ...unless(!badLink, error('spec.links', `"${badLink?.url}" is no URL`, 'write one such as https://example.com')),
  ];
}

function annotationRules({ metadata }: Csv): Finding[] {
  const { capabilities = '', categories: given = '', containerImage, description } = metadata?.annotations ?? {};
  const unknown = given.split(',').filter((one) => one.trim() && !categories.has(one.trim()));
  const at = 'metadata.annotations';
  return [
    ...unless(
      (capabilityLevels as readonly string[]).includes(capabilities),
      error(`${at}.capabilities`, `"${capabilities}" is no level`, `use one of ${capabilityLevels.join(', ')}`),
    ),
    ...unless(
      unknown.length === 0,
      error(`${at}.categories`, `unknown: ${unknown.join(', ')}`, `use ${[...categories].join(', ')}`),
    ),
    ...unless(given, warning(`${at}.categories`, 'there are none', 'set kurator.bundle.categories in package.json')),
    ...unless(containerImage, warning(`${at}.containerImage`, 'it is not said', 'name the image of the operator')),
    ...unless(
      description && description.length <= 135,
      warning(`${at}.description`, 'it should be one sentence of at most 135 characters', 'shorten "description"'),
    ),
  ];
}

function installRules({ spec }: Csv): Finding[] {
  const { installModes = [], install } = spec ?? {};
  const { deployments = [], permissions = [], clusterPermissions = [] } = install?.spec ?? {};
  const missing = installModeTypes.filter((type) => !installModes.some((mode) => mode.type === type));
  const rules = [...permissions, ...clusterPermissions].flatMap((one) => one.rules ?? []);
  const greedy = rules.some((rule) => [rule.verbs, rule.resources, rule.apiGroups].some((list) => list?.includes('*')));
  const podOf = (one: (typeof deployments)[number]) => one.spec?.template?.spec;
  const containers = deployments.flatMap((one) => podOf(one)?.containers ?? []);
  const empty = deployments.findIndex((one) => !podOf(one)?.containers?.length);
  const unnamed = deployments.find((one) => podOf(one) && !podOf(one)?.serviceAccountName);
  const at = 'spec.install';
  return [
    ...unless(
      missing.length === 0,
      error('spec.installModes', `nothing is said of ${missing.join(', ')}`, 'name all four, supported or not'),
    ),
    ...unless(
      installModes.some((mode) => mode.supported),
      error('spec.installModes', 'none is supported', 'set kurator.bundle.installModes in package.json'),
    ),
    ...unless(install?.strategy === 'deployment', error(`${at}.strategy`, 'it is another', 'write deployment')),
    ...unless(deployments.length > 0, error(`${at}.spec.deployments`, 'there is none', 'add the operator’s')),
    ...unless(
      empty < 0,
      error(`${at}.spec.deployments[${empty}].spec.template.spec`, 'there are no containers', 'say what is to run'),
    ),
    ...unless(
      !unnamed,
      error(`${at}.spec.deployments`, `${unnamed?.name} runs as the default account`, 'set serviceAccountName'),
    ),
    ...unless(!greedy, warning(`${at}.spec.permissions`, 'a rule allows *', 'name what is needed')),
    ...unless(
      containers.every(({ image }) => image?.includes('@sha256:')),
      warning(`${at}.spec.deployments`, 'an image is named by its tag', 'give --image with its digest, name@sha256:…'),
    ),
    ...unless(
      containers.every(({ resources }) => resources?.requests),
      warning(`${at}.spec.deployments`, 'a container asks for no resources', 'set its requests'),
    ),
  ];
}

function isBase64(text: string | undefined): boolean {
  return !!text && /^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.length % 4 === 0;
}
