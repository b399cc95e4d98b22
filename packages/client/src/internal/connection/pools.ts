import type { Pool as UndiciPool } from 'undici';
import type { ClientConfig } from '../../config.ts';
import type { TlsMaterial } from '../credentials/identity.ts';
import { createConnector } from './connector.ts';
import { Pool } from './undici.ts';

/** Connections that were made with one set of TLS material. */
export interface Pools {
  readonly requests: UndiciPool;
  readonly streams: UndiciPool;
}

/** Gives the pools for the TLS material of the moment; those of earlier material end with their last request. */
export interface PoolKeeper {
  pools(tls: TlsMaterial): Pools;
  destroy(): Promise<void>;
}

// The API server closes connections that were idle for 90 s; ours must be quicker, or a request meets a closed one.
const KEEP_ALIVE = 60_000;
// Enough for any number of workers that two cores can feed; more only makes a burst of TLS handshakes.
const REQUEST_CONNECTIONS = 32;

// HTTP/2 has many requests on one connection; a second one keeps a lost packet from stopping all of them.
const HTTP2 = { connections: 2, pipelining: 100 };

/** How connections are made and shared. */
export interface PoolOptions {
  readonly origin: string;
  readonly http: 1 | 2;
}

export function keepPools(config: ClientConfig, options: PoolOptions): PoolKeeper {
  let current: (Pools & { tls: TlsMaterial }) | undefined;
  const retired = new Set<UndiciPool>();

  const retire = (pool: UndiciPool) => {
    retired.add(pool);
    pool.close().then(
      () => retired.delete(pool),
      () => retired.delete(pool),
    );
  };

  return {
    pools(tls) {
      if (current?.tls === tls) return current;
      // The server looks at our certificate when a connection is made: new material needs new connections.
      if (current) for (const pool of [current.requests, current.streams]) retire(pool);
      current = { tls, ...openPools(config, options, tls) };
      return current;
    },
    async destroy() {
      const pools = [...retired, ...(current ? [current.requests, current.streams] : [])];
      await Promise.all(pools.map(async (pool) => await pool.destroy()));
    },
  };
}

function openPools(config: ClientConfig, { origin, http }: PoolOptions, tls: TlsMaterial): Pools {
  const http2 = http === 2;
  const options = {
    allowH2: http2,
    pipelining: http2 ? HTTP2.pipelining : 1,
    keepAliveTimeout: KEEP_ALIVE,
    keepAliveMaxTimeout: KEEP_ALIVE,
    connect: createConnector(config, tls, http2),
  };
  return {
    requests: new Pool(origin, { ...options, connections: http2 ? HTTP2.connections : REQUEST_CONNECTIONS }),
    // Streams hold their connection for minutes: were they to share the pool, enough of them would starve the requests.
    streams: new Pool(origin, { ...options, connections: null }),
  };
}
