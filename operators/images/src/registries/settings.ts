/** How registries are reached that are not where their names say, or that have an authority of their own. */
import { createRegistryClient, proxiesOf, type RegistryClient, type RegistrySettings } from '@kurator/registry';

/** A JSON object: `{"registry.example.com": {"url": "http://10.0.0.3:5000"}}`. */
const REGISTRIES = 'KURATOR_IMAGES_REGISTRIES';

/** For how long nothing may happen, in milliseconds: four tries end before a look does. */
const TIMEOUT = 8_000;

/** @throws If the setting is no JSON object of objects. */
export function registriesOf(environment: NodeJS.ProcessEnv): RegistryClient {
  // One that wants to be left alone is asked later, by the interval; no pass waits for that.
  return createRegistryClient({
    registries: read(environment[REGISTRIES]),
    proxy: proxiesOf(environment),
    timeout: TIMEOUT,
    patience: 0,
  });
}

function read(text: string | undefined): Record<string, RegistrySettings> {
  if (!text) return {};
  const value = parse(text);
  const isRecord = (one: unknown) => typeof one === 'object' && one !== null && !Array.isArray(one);
  if (isRecord(value) && Object.values(value as object).every(isRecord)) {
    return value as Record<string, RegistrySettings>;
  }
  throw new Error(
    `${REGISTRIES} is no JSON object of settings by host: write {"registry.example.com": {"url": "https://…"}}`,
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
