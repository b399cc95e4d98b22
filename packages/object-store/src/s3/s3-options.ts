/** How a bucket is reached. */
import type { Agent } from 'node:http';
import { ObjectStoreError } from '../error.ts';
import type { S3CredentialsSource } from './credentials.ts';
import { encodePath } from './signature.ts';

/** A bucket, and who we are there. */
export interface S3Options {
  readonly bucket: string;
  readonly credentials: S3CredentialsSource;
  /** Default `us-east-1`. One that is wrong is corrected, where the server says the right one. */
  readonly region?: string;
  /** As `https://s3.example.com`; default that of AWS in the region. */
  readonly endpoint?: string | URL;
  /** Where the bucket's name goes: into the path, which is the default with `endpoint`, or before the host's name. */
  readonly addressing?: 'path' | 'virtual-host';
  /** Authorities to trust instead of the system's, as PEM. */
  readonly ca?: string | Buffer;
  /** Makes the connections, for example through a proxy. `ca` does not apply then. Not closed with the store. */
  readonly agent?: Agent;
  /** How often a request is tried again. Default 5. */
  readonly retries?: number;
  /** Milliseconds without a byte in either direction after which a connection is given up. Default 30,000. */
  readonly idleTimeout?: number;
}

/** Where requests go. */
export interface Address {
  readonly isTls: boolean;
  readonly hostname: string;
  readonly port: number;
  /** The header, as it is signed. */
  readonly host: string;
  /** Before the key's own path. */
  readonly base: string;
}

/** Refuses options that can't work. */
export function checkS3Options({ bucket, endpoint, retries = 5, idleTimeout = 30_000 }: S3Options): void {
  if (!/^[a-zA-Z0-9][a-zA-Z0-9._-]{1,253}[a-zA-Z0-9]$/.test(bucket))
    throw wrong(`bucket must have 3 to 255 letters, digits, "." and "-"; it is ${JSON.stringify(bucket)}`);
  if (!Number.isInteger(retries) || retries < 0 || retries > 20)
    throw wrong('retries must be a whole number from 0 to 20');
  if (!Number.isInteger(idleTimeout) || idleTimeout < 1)
    throw wrong('idleTimeout must be a whole number of milliseconds');
  if (endpoint !== undefined) endpointUrl(endpoint);
}

/** Where a bucket is, in a region. */
export function addressOf(options: S3Options, region: string): Address {
  const url = endpointUrl(options.endpoint ?? `https://s3.${region}.amazonaws.com`);
  const isVirtual =
    (options.addressing ?? (options.endpoint === undefined ? 'virtual-host' : 'path')) === 'virtual-host';
  const isTls = url.protocol === 'https:';
  const base = url.pathname.replace(/\/$/, '');
  const prefix = isVirtual ? `${options.bucket}.` : '';
  return {
    isTls,
    // A URL has an IPv6 address in brackets; a socket wants it without.
    hostname: `${prefix}${url.hostname}`.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (isTls ? 443 : 80),
    host: `${prefix}${url.host}`,
    base: isVirtual ? base : `${base}/${encodePath(options.bucket)}`,
  };
}

function endpointUrl(endpoint: string | URL): URL {
  const url = URL.parse(String(endpoint));
  // Credentials in it would be shown wherever the location is.
  const isPlain = url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username && !url.password;
  if (!isPlain) throw wrong('endpoint must be a URL such as https://s3.example.com, without credentials or a query');
  return url;
}

function wrong(text: string): ObjectStoreError {
  return new ObjectStoreError('KUR_STORE_OPTION', `${text}.`);
}
