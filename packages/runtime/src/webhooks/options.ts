/** What webhooks need to know: under which name, where they are reached, and by which certificates they are believed. */
import type { Client } from '@kurator/client';
import type { Clock } from '../clock.ts';
import type { Duration } from '../duration.ts';
import type { Metrics } from '../insight/metrics.ts';

/** A Service in front of the operator's pods. */
export interface ServiceAddress {
  /** The Service's name. */
  readonly service: string;
  /** The operator's namespace unless given. */
  readonly namespace?: string;
  /** The Service's port (not the container's); 443 unless given. */
  readonly port?: number;
}

/** A place outside of the cluster that the API server can reach: for development and tests. */
export interface UrlAddress {
  /**
   * `https://host:port`, without a path; or a function that is given the port that is listened on, for where that is
   * any free one.
   */
  readonly url: string | ((port: number) => string);
}

/** Where the API server finds the webhooks. */
export type WebhookAddress = ServiceAddress | UrlAddress;

/** Certificates that the operator makes itself, keeps in a Secret for all its replicas, and renews. */
export interface OwnCertificates {
  /** The Secret's name; `NAME-webhooks` unless given. */
  readonly secret?: string;
  /** How long an authority is valid; `365d` unless given. Each certificate is renewed after two thirds of its time. */
  readonly authorityLifetime?: Duration;
  /** How long a serving certificate is valid; `90d` unless given. */
  readonly lifetime?: Duration;
  /**
   * How long a new authority is trusted before it is used, and an old one after; `1h` unless given. Longer than it takes
   * every API server and every replica to hear of a change.
   */
  readonly overlap?: Duration;
}

/** Certificates that somebody else makes and renews: cert-manager, say, with a volume of its Secret. */
export interface CertificateFolder {
  /** A folder with `tls.crt` and `tls.key`, looked at every ten seconds. */
  readonly folder: string;
  /** For cert-manager: the `namespace/name` of the Certificate whose authority is to be put into the registrations. */
  readonly injectCaFrom?: string;
}

/** What {@link createWebhooks} needs; all but client, name, namespace and address has a default. */
export interface WebhooksOptions {
  readonly client: Client;
  /** The operator's name, after which its registrations and its Secret are called: `myapp-operator`. */
  readonly name: string;
  /** The operator's own namespace: its Secret lives there. */
  readonly namespace: string;
  readonly address: WebhookAddress;
  /** Where to listen: port 9443 of all addresses unless given. Port 0 is any that is free. */
  readonly listen?: { readonly host?: string; readonly port?: number };
  /** The operator's own unless given. */
  readonly certificates?: OwnCertificates | CertificateFolder;
  /**
   * Whether registrations become what they were before when it ends, and those that were not there are deleted: for a
   * process that nobody replaces, at a desk. False unless given. An annotation on each keeps what it was: where the process
   * is killed, the next one that ends in order puts it back.
   */
  readonly temporary?: boolean;
  /**
   * How long it goes on as before after it was told to stop, so that nobody is sent to a closed door; `5s` behind a
   * Service unless given, nothing at a URL. Never longer than there is time to stop.
   */
  readonly drainDelay?: Duration;
  /**
   * The most bytes of a request: 8 MiB for admission and 32 MiB for conversion, which comes in lists, unless given. All requests
   * together: twice the larger of those that are served, or 32 MiB, or one of the larger where that is more. The most
   * connections: 512 unless given.
   */
  readonly limits?: { readonly admission?: number; readonly conversion?: number; readonly connections?: number };
  /** Where calls are counted: the manager's `metrics`. Nowhere unless given. */
  readonly metrics?: Pick<Metrics, 'add'>;
  readonly clock?: Clock;
}
