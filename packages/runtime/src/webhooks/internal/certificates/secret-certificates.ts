/**
 * The operator's own certificates: one ring of keys in a Secret, shared by all replicas. Any of them may take the next
 * step; each write is conditional on what was read, so exactly one succeeds, and the others read what it wrote.
 */
import { type Client, isAlreadyExists, isConflict, isNotFound, Secret } from '@kurator/client';
import type { Clock } from '../../../clock.ts';
import { RuntimeError } from '../../../error.ts';
import type { Logger } from '../../../insight/late-logger.ts';
import type { Certificates } from './certificates.ts';
import type { Issuer } from './issuer.ts';
import { bundleOf, freshKeyring, type Keyring, nextStep, type Plan, type Step, taken } from './keyring.ts';
import { dataOf, keyringOf } from './keyring-secret.ts';

export interface SecretCertificatesOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly secret: { readonly name: string; readonly namespace: string };
  /** Who is said to manage the Secret. */
  readonly operator: string;
  readonly plan: Plan;
  readonly issuer: Issuer;
}

const MANAGED_BY = 'app.kubernetes.io/managed-by';

const done: Record<Step, string> = {
  begin: 'a new authority was made: it will sign once every API server trusts it',
  announce: 'every registration holds the new authority',
  promote: 'the new authority signs from now on; the old one is still trusted',
  retire: 'the old authority is no longer trusted',
  renew: 'a new serving certificate was made',
};

export class SecretCertificates implements Certificates {
  readonly #options: SecretCertificatesOptions;
  #secret: Secret | undefined;
  #ring: Keyring | undefined;

  constructor(options: SecretCertificatesOptions) {
    this.#options = options;
  }

  async read() {
    const { client, secret: ref } = this.#options;
    for (;;) {
      const secret = await client.find(Secret, ref);
      const ring = keyringOf(secret?.data);
      if (secret && ring) {
        this.#secret = secret;
        this.#ring = ring;
        return { serving: ring.serving, bundle: bundleOf(ring) };
      }
      if (secret) this.#refuseForeign(secret);
      await this.#store(secret, await this.#replacement(), 'the keys of the webhooks were made');
    }
  }

  async advance(held: boolean): Promise<number> {
    const { clock, plan, issuer } = this.#options;
    if (!this.#ring || !this.#secret) return 0;
    const step = nextStep(this.#ring, plan, clock.date(), held);
    if (typeof step === 'number') return step;
    await this.#store(this.#secret, await taken(step, this.#ring, plan, clock.date(), issuer), done[step]);
    return 0;
  }

  /** What another has put into a Secret of that name must not be lost; one that is empty was made for us. */
  #refuseForeign({ metadata, data = {} }: Secret): void {
    const ours = metadata.labels?.[MANAGED_BY] === this.#options.operator;
    if (ours || Object.keys(data).length === 0) return;
    const message = `the Secret ${metadata.namespace}/${metadata.name} holds something else than the keys of webhooks`;
    throw new RuntimeError('KUR_RUNTIME_FOREIGN_SECRET', message, {
      remedy: 'give certificates.secret another name; or delete the Secret, if nobody needs it',
    });
  }

  /**
   * The ring for a Secret that is not there, or makes no sense. Where there was one, what it held is still served and
   * trusted: it goes on, and is replaced in good order. So deleting the Secret is how people ask for new keys.
   */
  async #replacement(): Promise<Keyring> {
    const { clock, plan, issuer } = this.#options;
    const now = clock.date();
    if (!this.#ring || this.#ring.serving.until <= now) return await freshKeyring(issuer, plan, now);
    return this.#ring.next ? this.#ring : await taken('begin', this.#ring, plan, now, issuer);
  }

  /** Writes unless another was quicker; either way, what is there now must be read. */
  async #store(known: Secret | undefined, ring: Keyring, message: string): Promise<void> {
    const { client, logger, secret: ref, operator } = this.#options;
    const data = dataOf(ring);
    const labels = { ...known?.metadata.labels, [MANAGED_BY]: operator };
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
    const validUntil = new Date(ring.serving.until).toISOString();
    logger.info({ secretName: name, namespace, validUntil }, message);
  }
}
