// Connections to upstreams, by where they lead and through which proxy.
import { Pool, ProxyAgent, Socks5ProxyAgent } from 'undici';
import type { Dispatcher } from 'undici';

export interface Dispatchers {
  /** @param proxy `http:`, `https:` or `socks5:` URL, null for none */
  of(origin: string, proxy: string | null): Dispatcher;
  close(): Promise<void>;
}

/** Connections per origin; with HTTP/1.1 every open stream needs one. */
const connections = 4096;
const connectMs = 10_000;
/** Whoever dispatches keeps time. */
const options = { connections, keepAliveTimeout: 30_000, headersTimeout: 0, bodyTimeout: 0 };

export function createDispatchers(): Dispatchers {
  const known = new Map<string, Dispatcher>();
  return {
    of(origin, proxy) {
      const key = proxy === null ? origin : `${proxy} ${origin}`;
      let dispatcher = known.get(key);
      if (dispatcher === undefined) {
        dispatcher = proxy === null ? new Pool(origin, { ...options, connect: { timeout: connectMs } }) : throughProxy(proxy);
        known.set(key, dispatcher);
      }
      return dispatcher;
    },
    async close() {
      await Promise.all([...known.values()].map((dispatcher) => dispatcher.destroy()));
      known.clear();
    },
  };
}

/** What pools take as settings of a connection (`connect`), proxies take as a function: they are only told how long it may take. */
function throughProxy(proxy: string): Dispatcher {
  const connecting = { ...options, connectTimeout: connectMs };
  return proxy.startsWith('socks5:') ? new Socks5ProxyAgent(proxy, connecting) : new ProxyAgent({ uri: proxy, ...connecting });
}
