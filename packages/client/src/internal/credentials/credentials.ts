/**
 * Who we are to the server, kept up to date: files are read again every few seconds of use, credential plugins are asked
 * again before what they gave expires, and both as soon as the server no longer knows us.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ClientConfig } from '../../config.ts';
import { ClientError } from '../../error.ts';
import { type ExecCredential, runExecPlugin } from './exec-plugin.ts';
import { type Identity, identityOf, type Secrets } from './identity.ts';

export interface Credentials {
  /** The identity to use now, where that is known without waiting. */
  current(): Identity | undefined;
  /** The identity to use now; reads files and runs plugins as needed, once for all who ask at the same time. */
  load(): Promise<Identity>;
  /** The server didn't know this identity: true when `load` may now give another. */
  refused(identity: Identity): boolean;
}

/** Seams for tests. */
export interface CredentialsOptions {
  now?: () => number;
  runPlugin?: typeof runExecPlugin;
}

const FILES_FRESH = 10_000;
const LONGEST_HEAD_START = 60_000;
// A server that refuses whatever a plugin gives must not make it run for each request.
const PLUGIN_REST = 10_000;

export function createCredentials(config: ClientConfig, options: CredentialsOptions = {}): Credentials {
  const { now = Date.now, runPlugin = runExecPlugin } = options;
  const readFiles = filesOf(config);
  const { exec } = config;
  let identity: Identity | undefined;
  let loading: Promise<Identity> | undefined;
  let filesUntil = readFiles ? 0 : Number.POSITIVE_INFINITY;
  let pluginUntil = exec ? 0 : Number.POSITIVE_INFINITY;
  let pluginRan = 0;
  let files: Secrets = {};
  let given: ExecCredential = {};
  if (!readFiles && !exec) identity = identityOf(config, config);

  const isFresh = () => now() < filesUntil && now() < pluginUntil;
  const load = async () => {
    if (readFiles && now() >= filesUntil) {
      files = await readFiles();
      filesUntil = now() + FILES_FRESH;
    }
    if (exec && now() >= pluginUntil) {
      given = await runPlugin(exec, { ...config, ...files });
      pluginRan = now();
      pluginUntil = renewalTime(given, pluginRan);
    }
    identity = identityOf(config, { ...given, ...config, ...files }, identity);
    return identity;
  };

  return {
    current: () => (isFresh() ? identity : undefined),
    async load() {
      loading ??= load().finally(() => {
        loading = undefined;
      });
      return await loading;
    },
    refused(used) {
      if (!readFiles && !exec) return false;
      // Someone else may have been refused a moment before, and the new identity is already there.
      if (used === identity) {
        if (readFiles) filesUntil = 0;
        if (exec && now() >= pluginRan + PLUGIN_REST) pluginUntil = 0;
      }
      return true;
    },
  };
}

/** A little before it expires: a fifth of its life, a minute at most. */
function renewalTime({ expires }: ExecCredential, now: number): number {
  if (expires === undefined) return Number.POSITIVE_INFINITY;
  return expires - Math.min(LONGEST_HEAD_START, Math.max(0, expires - now) / 5);
}

function filesOf(config: ClientConfig): (() => Promise<Secrets>) | undefined {
  const { caFile, certFile, keyFile, tokenFile } = config;
  if (!caFile && !tokenFile && !(certFile && keyFile)) return undefined;
  const ca = caFile ? watchedFile(caFile, config.ca) : undefined;
  const cert = certFile ? watchedFile(certFile, config.cert) : undefined;
  const key = keyFile ? watchedFile(keyFile, config.key) : undefined;
  const token = tokenFile ? watchedFile(tokenFile) : undefined;
  let pair: { cert?: string; key?: string } = {};
  return async () => {
    const [caText, certText, keyText, tokenText] = await Promise.all(
      [ca, cert, key, token].map(async (file) => await file?.read()),
    ).catch((cause: Error) => {
      throw new ClientError('KUR_CLIENT_CREDENTIALS', `the token file can't be read: ${cause.message}`, { cause });
    });
    if (certText && keyText && (!pair.cert || belongTogether(certText, keyText)))
      pair = { cert: certText, key: keyText };
    return {
      ...pair,
      ...(caText === undefined ? {} : { ca: caText }),
      ...(tokenText === undefined ? {} : { token: tokenText.trim() }),
    };
  };
}

// Of two files that are being replaced, one is first.
function belongTogether(cert: string, key: string): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

/** A small file that someone else replaces now and then. */
interface WatchedFile {
  /** What is in it; after a failed reading, what was in it before. */
  read(): Promise<string>;
}

/** `initial`: what is known to be in it, so that a file that is just being replaced harms nobody. */
function watchedFile(path: string, initial?: string): WatchedFile {
  let last = initial;
  return {
    async read() {
      try {
        last = await readFile(path, 'utf8');
      } catch (error) {
        if (last === undefined) throw error;
      }
      return last;
    },
  };
}
