/** Certificates that another puts into a folder, and renews there: a volume of cert-manager's Secret, say. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type KeyPair, readKeyPair } from '@kurator/pki';
import { RuntimeError } from '../error.ts';
import type { Certificates } from './certificates.ts';

// The kubelet itself needs up to a minute to bring a changed Secret into a volume.
const INTERVAL = 10_000;

export class FolderCertificates implements Certificates {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async read(): Promise<{ serving: KeyPair; bundle: undefined }> {
    try {
      const [certificate, key] = await Promise.all(
        ['tls.crt', 'tls.key'].map((name) => readFile(join(this.#folder, name), 'utf8')),
      );
      return { serving: readKeyPair(certificate ?? '', key ?? ''), bundle: undefined };
    } catch (error) {
      throw unreadable(this.#folder, error);
    }
  }

  advance(): Promise<number> {
    return Promise.resolve(INTERVAL);
  }
}

// The parser's own words may quote what it could not read; those of the file system are only about the file.
function unreadable(folder: string, error: unknown): RuntimeError {
  const { code, message } = error as NodeJS.ErrnoException;
  const why = code?.startsWith('E') && !code.startsWith('ERR_') ? message : 'it is not a certificate with its key';
  return new RuntimeError('KUR_RUNTIME_CERTIFICATE', `tls.crt and tls.key of ${folder} can't be used: ${why}`, {
    remedy: 'let the folder hold a certificate and its key as PEM; a change is seen within ten seconds',
  });
}
