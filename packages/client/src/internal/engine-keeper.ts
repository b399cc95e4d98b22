import type { ClientConfig } from '../config.ts';
import { createConnector } from './connection/connector.ts';
import type { TlsMaterial } from './credentials/identity.ts';
import type { Engine } from './engine.ts';
import { createHttp1Engine } from './http1/engine.ts';

/** Gives the engine for the TLS material of the moment; those of earlier material end with their last request. */
export interface EngineKeeper {
  engine(tls: TlsMaterial): Engine;
  destroy(): void;
}

export function keepEngines(config: ClientConfig, url: URL): EngineKeeper {
  let current: { readonly tls: TlsMaterial; readonly engine: Engine } | undefined;
  const retired = new Set<Engine>();

  const open = (tls: TlsMaterial) => createHttp1Engine(url.host, createConnector(config, url, tls));
  const retire = (engine: Engine) => {
    retired.add(engine);
    const forget = () => retired.delete(engine);
    engine.close().then(forget, forget);
  };
  return {
    engine(tls) {
      if (current?.tls === tls) return current.engine;
      // The server looks at our certificate when a connection is made: new material needs new connections.
      if (current) retire(current.engine);
      current = { tls, engine: open(tls) };
      return current.engine;
    },
    destroy() {
      for (const engine of retired) engine.destroy();
      current?.engine.destroy();
    },
  };
}
