// Both kinds of store keep the same contract: a folder, and a bucket of a real server.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFolderStore, createS3Store } from '../src/index.ts';
import { describeContract } from './support/contract.ts';
import { credentials, S3Server } from './support/s3-server.ts';

describeContract('a folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'object-store-'));
  return {
    client: () => createFolderStore({ folder }),
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true });
    },
  };
});

describeContract('a bucket', async () => {
  const server = await S3Server.start();
  const bucket = await server.createBucket(randomUUID());
  return {
    client: () => createS3Store({ endpoint: server.url, bucket, credentials }),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
    },
  };
});
