/** Makes errors of what went wrong on the way to a registry, and of its refusals. Nothing secret goes into them. */
import { RegistryError, type RegistryErrorCode } from '../error.ts';
import type { RepositoryName } from '../image-name.ts';
import { isRecord, jsonIn } from '../json.ts';

/** What is being done, for the message. */
export interface Errand {
  readonly place: RepositoryName;
  /** `GET manifests/v1` */
  readonly what: string;
}

const passing = new WeakSet<Error>();

/** Whether the same may work a moment later: a fault of the registry's own, or of the way to it. */
export function mayPass(error: unknown): boolean {
  return error instanceof Error && passing.has(error);
}

function passingError(error: RegistryError): RegistryError {
  passing.add(error);
  return error;
}

export function placeText({ host, repository }: RepositoryName): string {
  return `${host}/${repository}`;
}

/** A connection that could not be made, or broke. @param at Who was asked, where that is not the registry itself. */
export function unreachable({ place, what }: Errand, cause: unknown, at?: URL): RegistryError {
  const { code = '', message, name } = cause as NodeJS.ErrnoException;
  const asked = at ? `${at.host} (for the registry ${place.host})` : `The registry ${place.host}`;
  const details = { registry: place.host, repository: place.repository, cause };
  const told = `${message || name}`.slice(0, 300);
  if (/TIMEOUT|ETIMEDOUT/.test(`${code} ${name === 'TimeoutError' ? 'TIMEOUT' : ''}`)) {
    const said = `${asked} did not answer in time to ${what} of ${placeText(place)}.`;
    const remedy = 'Try again; if it stays so, check the way to it (proxy, firewall), or give a longer `timeout`.';
    return passingError(new RegistryError('KUR_REGISTRY_TIMEOUT', said, { ...details, remedy }));
  }
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|HOSTNAME/.test(code)) {
    const said = `${asked} shows a certificate that is not accepted (${code}), for ${what} of ${placeText(place)}.`;
    const remedy =
      "Give its authority's certificate as `ca` of this registry's settings; check its name, and this machine's clock.";
    return new RegistryError('KUR_REGISTRY_TLS', said, { ...details, remedy });
  }
  const said = `${asked} can't be reached for ${what} of ${placeText(place)}: ${told}.`;
  const remedy = 'Check that it runs, and that its address can be reached from here.';
  const error = new RegistryError('KUR_REGISTRY_UNREACHABLE', said, { ...details, remedy });
  // A door that nobody opens stays shut; one that was slammed may open again.
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' ? error : passingError(error);
}

/** It came, but so slowly that it would never be there. */
export function tooSlow({ host, repository }: RepositoryName, what: string): RegistryError {
  return new RegistryError(
    'KUR_REGISTRY_TIMEOUT',
    `The registry ${host} took too long to send ${what} of ${repository}.`,
    {
      remedy: 'Try again; if it stays so, check the way to it (proxy, firewall).',
      registry: host,
      repository,
    },
  );
}

interface Refusal {
  readonly status: number;
  /** What the registry says of it. */
  readonly text: string;
  readonly retryAt: Date | undefined;
  /** Whether anybody is known to be logged in. */
  readonly isKnown: boolean;
  /** Whether something was only read, so that it can be asked again whatever has become of it. */
  readonly isRead: boolean;
}

/** What these two leave open, whether it was done, does not matter where nothing was to be done. */
function isPassing(status: number, isRead: boolean): boolean {
  return status >= 502 || (isRead && (status === 408 || status === 500));
}

/** An answer that was not hoped for. */
export function refusal({ place, what }: Errand, { status, text, retryAt, isKnown, isRead }: Refusal): RegistryError {
  const said = `The registry ${place.host} answered ${status} to ${what} of ${place.repository}${quoted(text)}.`;
  const details = { registry: place.host, repository: place.repository, status };
  const make = (code: RegistryErrorCode, remedy: string) => new RegistryError(code, said, { ...details, remedy });
  if (status === 401 || status === 403) {
    const remedy = isKnown
      ? `The account that is logged in to ${place.host} may not do this: log in as one that may.`
      : `Log in to ${place.host}, with an account that may do this; check also that the repository exists.`;
    return make('KUR_REGISTRY_DENIED', remedy);
  }
  if (status === 404) {
    return make('KUR_REGISTRY_NOT_FOUND', 'Check the name; a private repository also looks like this to strangers.');
  }
  if (status === 429) return rateLimited(place, retryAt ?? new Date(), said);
  if (status === 408 || status >= 500) {
    const code = status === 408 ? 'KUR_REGISTRY_TIMEOUT' : 'KUR_REGISTRY_SERVER';
    const error = make(code, "Try again; if it stays so, look into the registry's log.");
    return isPassing(status, isRead) ? passingError(error) : error;
  }
  return make('KUR_REGISTRY_REFUSED', 'Check that the address is that of a registry, and its log.');
}

/** @param said What is said in the place of "is left alone", where the registry has just answered. */
export function rateLimited({ host, repository }: RepositoryName, retryAt: Date, said?: string): RegistryError {
  const message =
    said ??
    `The registry ${host} has had too many requests, and is left alone until ${retryAt.toISOString()}: ${repository} was not asked for.`;
  const remedy = `Ask again after ${retryAt.toISOString()}; whoever is logged in may ask more often.`;
  return new RegistryError('KUR_REGISTRY_RATE_LIMITED', message, {
    remedy,
    registry: host,
    repository,
    retryAt,
    ...(said === undefined ? {} : { status: 429 }),
  });
}

/** What came is not what it should be. */
export function badContent(place: RepositoryName, what: string, cause?: unknown): RegistryError {
  return new RegistryError(
    'KUR_REGISTRY_BAD_CONTENT',
    `The registry ${place.host} gave for ${place.repository} ${what}.`,
    {
      remedy: 'Try again; if it stays so, the registry, or something between it and here, is broken or hostile.',
      registry: place.host,
      repository: place.repository,
      cause,
    },
  );
}

/** The messages of the specification's errors, or the beginning of whatever it is. */
function quoted(text: string): string {
  const told = messagesIn(text) ?? text;
  // What controls a terminal must not get there.
  const plain = told
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, 300);
  return plain ? `: ${plain}` : '';
}

function messagesIn(text: string): string | undefined {
  const value = jsonIn(text);
  const errors = isRecord(value) ? value.errors : undefined;
  if (!Array.isArray(errors) || errors.length === 0) return undefined;
  return errors
    .filter(isRecord)
    .map(({ code, message }) => [code, message].filter((each) => typeof each === 'string').join(' '))
    .join('; ');
}
