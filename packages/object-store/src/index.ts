/** Objects by key in a bucket of S3 or in a folder, behind one interface. */
export { checkStore } from './check-store.ts';
export { isStoreError, ObjectStoreError, type ObjectStoreErrorCode, type ObjectStoreErrorDetails } from './error.ts';
export { createFolderStore, type FolderOptions } from './folder/folder-store.ts';
export type * from './object-store.ts';
export type { S3Credentials, S3CredentialsSource } from './s3/credentials.ts';
export type { S3Options } from './s3/s3-options.ts';
export { createS3Store } from './s3/s3-store.ts';
