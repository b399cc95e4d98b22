/** Stable, searchable codes of everything that can go wrong between this process and a registry. */
export type RegistryErrorCode =
  /** A text is no image's name. */
  | 'KUR_REGISTRY_NAME'
  /** A setting of the client makes no sense, for example a registry's URL. */
  | 'KUR_REGISTRY_SETTING'
  /** A file with log-ins is broken, or a program that keeps them failed. */
  | 'KUR_REGISTRY_CREDENTIALS'
  /** No connection could be made, or it broke. */
  | 'KUR_REGISTRY_UNREACHABLE'
  /** The registry's certificate is not accepted. */
  | 'KUR_REGISTRY_TLS'
  /** No answer, or no more of it, in time. */
  | 'KUR_REGISTRY_TIMEOUT'
  /** 401 or 403: nobody is logged in, or whoever is may not do this. */
  | 'KUR_REGISTRY_DENIED'
  | 'KUR_REGISTRY_NOT_FOUND'
  /** 429: {@link RegistryError.retryAt} says when the registry may be asked again. */
  | 'KUR_REGISTRY_RATE_LIMITED'
  /** The registry has a fault of its own: any 5xx. */
  | 'KUR_REGISTRY_SERVER'
  /** Any other refusal. */
  | 'KUR_REGISTRY_REFUSED'
  /** What came is not what was asked for: another digest, too long, no JSON. */
  | 'KUR_REGISTRY_BAD_CONTENT';

/** What a {@link RegistryError} may know beyond its code and message. */
export interface RegistryErrorDetails {
  /** What the reader can do about it, in one sentence. */
  readonly remedy: string;
  /** As image names begin with it: `ghcr.io`. */
  readonly registry?: string | undefined;
  readonly repository?: string | undefined;
  readonly status?: number | undefined;
  readonly retryAt?: Date | undefined;
  readonly cause?: unknown;
}

/**
 * The one error class of this package. Its message is for people and names registry and repository; `code` is for
 * programs and search engines. No credential is ever in it.
 */
export class RegistryError extends Error {
  readonly code: RegistryErrorCode;
  readonly remedy: string;
  readonly registry: string | undefined;
  readonly repository: string | undefined;
  /** The HTTP status, where there was an answer. */
  readonly status: number | undefined;
  /** When the registry may be asked again; only with `KUR_REGISTRY_RATE_LIMITED`. */
  readonly retryAt: Date | undefined;

  constructor(code: RegistryErrorCode, message: string, details: RegistryErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'RegistryError';
    this.code = code;
    this.remedy = details.remedy;
    this.registry = details.registry;
    this.repository = details.repository;
    this.status = details.status;
    this.retryAt = details.retryAt;
  }
}
