/// <reference path="./undici-parts.d.ts" />
/**
 * The one door to undici. Its index also loads fetch, caches, mocks and more, which costs every program 65 ms at its
 * start; the four parts that we use cost 35 ms. They are no public paths, so package.json pins the exact version.
 */
import type { Dispatcher } from 'undici';
import requestOf from 'undici/lib/api/api-request.js';
import buildConnector from 'undici/lib/core/connect.js';
import errors from 'undici/lib/core/errors.js';
import Pool from 'undici/lib/dispatcher/pool.js';

export { buildConnector, errors, Pool };

/** What `pool.request` does, which only undici's index puts in place. */
export async function sendRequest(
  pool: Dispatcher,
  options: Dispatcher.RequestOptions,
): Promise<Dispatcher.ResponseData> {
  return await requestOf.call(pool, options);
}
