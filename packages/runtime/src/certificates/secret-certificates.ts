/**
 * The operator's own certificates: one ring of keys in a Secret, shared by all replicas. Any of them may take the next
 * step; each write is conditional on what was read, so exactly one succeeds, and the others read what it wrote.
 */
import { type Client, isAlreadyExists, isConflict, isNotFound, Secret } from '@kurator/client';
import { bundleOf, type Concern } from '@kurator/pki';
import type { Clock } from '../clock.ts';
import { RuntimeError } from '../error.ts';
import type { Logger } from '../insight/late-logger.ts';
import type { Certificates } from './certificates.ts';
import {
  type Change,
  changed,
  dataOf,
  freshKeyring,
  type Keyring,
  type KeyringSettings,
  keyringOf,
  outlook,
} from './internal/keyring.ts';

export interface SecretCertificatesOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly secret: { readonly name: string; readonly namespace: string };
  /** Its operator is said to manage the Secret. */
  readonly settings: KeyringSettings;
}

const MANAGED_BY = 'app.kubernetes.io/managed-by';

const done: Record<Change, string> = {
  begin: 'a new authority was made: it will sign once all who ask can trust it',
  announce: 'the new authority was made known',
  promote: 'the new authority signs from now on; the old one is still trusted',
  settle: 'nothing by the old authority is served any more',
  retire: 'the old authority is no longer trusted',
  renew: 'a new serving certificate was made',
};

export class SecretCertificates implements Certificates {
  readonly #options: SecretCertificatesOptions;
  #secret: Secret | undefined;
  #keyring: Keyring | undefined;
  #said = '';

  constructor(options: SecretCertificatesOptions) {
    this.#options = options;
  }

  async read() {
    const { client, secret: ref } = this.#options;
    for (;;) {
      const secret = await client.find(Secret, ref);
      const keyring = keyringOf(secret?.data);
      if (secret && keyring) {
        this.#secret = secret;
        this.#keyring = keyring;
        return { serving: keyring.serving, bundle: bundleOf(keyring.ring) };
      }
      if (secret) this.#refuseForeign(secret);
      await this.#store(secret, this.#replacement(), `the keys of the ${this.#options.settings.purpose} were made`);
    }
  }

  async advance(held: boolean): Promise<number> {
    const { clock, settings } = this.#options;
    if (!this.#keyring || !this.#secret) return 0;
    const now = clock.date();
    const { change, concerns } = outlook(this.#keyring, settings, now, held);
    this.#say(concerns);
    if (typeof change === 'number') return change;
    await this.#store(this.#secret, changed(change, this.#keyring, settings, now), done[change]);
    return 0;
  }

  /** Once, and again when there is something else to say. */
  #say(concerns: readonly Concern[]): void {
    const { logger, settings } = this.#options;
    const text = concerns.map(({ message }) => message).join('; ');
    if (text !== this.#said && text !== '') logger.warn({}, `the keys of the ${settings.purpose}: ${text}`);
    this.#said = text;
  }

  /** What another has put into a Secret of that name must not be lost; one that is empty was made for us. */
  #refuseForeign({ metadata, data = {} }: Secret): void {
    const { operator, purpose } = this.#options.settings;
    const ours = metadata.labels?.[MANAGED_BY] === operator;
    if (ours || Object.keys(data).length === 0) return;
    const message = `the Secret ${metadata.namespace}/${metadata.name} holds something else than the keys of the ${purpose}`;
    throw new RuntimeError('KUR_RUNTIME_FOREIGN_SECRET', message, {
      remedy:
        'delete the Secret, if nobody needs it; or give webhooks.certificates.secret, or the operator, another name',
    });
  }

  /**
   * The ring for a Secret that is not there, or makes no sense. Where there was one, what it held is still served and
   * trusted: it goes on, and is replaced in good order. So deleting the Secret is how people ask for new keys.
   */
  #replacement(): Keyring {
    const { clock, settings } = this.#options;
    const now = clock.date();
    if (!this.#keyring || this.#keyring.serving.certificate.until <= now) return freshKeyring(settings, now);
    return this.#keyring.ring.next ? this.#keyring : changed('begin', this.#keyring, settings, now);
  }

  /** Writes unless another was quicker; either way, what is there now must be read. */
  async #store(known: Secret | undefined, keyring: Keyring, message: string): Promise<void> {
    const { client, logger, secret: ref, settings } = this.#options;
    const data = dataOf(keyring);
    const labels = { ...known?.metadata.labels, [MANAGED_BY]: settings.operator };
    try {
      if (known) {
        const { managedFields: _, ...metadata } = known.metadata;
        await client.replace(Secret, { ...known, metadata: { ...metadata, labels }, data });
      } else {
        await client.create(Secret, { metadata: { ...ref, labels }, type: 'Opaque', data });
      }
    } catch (error) {
      if (isConflict(error) || isAlreadyExists(error) || (known && isNotFound(error))) return;
      throw error;
    }
    const { name, namespace } = ref;
    const validUntil = new Date(keyring.serving.certificate.until).toISOString();
    logger.info({ secretName: name, namespace, validUntil }, message);
  }
}
