// Connection pools by origin and proxy.
import { type Dispatcher, Pool, ProxyAgent, Socks5ProxyAgent } from 'undici';

export interface Dispatchers {
  /** @param proxy `http:`, `https:` or `socks5:` URL; null for none */
  of(origin: string, proxy: string | null): Dispatcher;
  /**
   * Returns the pool for WebSockets, which an HTTP proxy must tunnel.
   * https://www.rfc-editor.org/rfc/rfc6455#section-4.1
   */
  ofSocket(origin: string, proxy: string | null): Dispatcher;
  /** Of all pools without a proxy, whose agents do not report them. */
  readonly connections: ConnectionFigures;
  close(): Promise<void>;
}

export interface ConnectionFigures {
  /** Connected sockets, and those of them without a request. */
  connected: number;
  free: number;
  /** Requests that were sent, and those that wait for a socket. */
  running: number;
  waiting: number;
}

/** Maximum connections per origin; with HTTP/1.1 every open stream needs one. */
const connections = 4096;
const connectMs = 10_000;
/** Timeouts are enforced by the callers. */
const options = { connections, keepAliveTimeout: 30_000, headersTimeout: 0, bodyTimeout: 0 };

export function createDispatchers(): Dispatchers {
  const known = new Map<string, Dispatcher>();

  function stored(key: string, open: () => Dispatcher): Dispatcher {
    let dispatcher = known.get(key);
    if (dispatcher === undefined) known.set(key, (dispatcher = open()));
    return dispatcher;
  }

  const of: Dispatchers['of'] = (origin, proxy) =>
    proxy === null
      ? stored(origin, () => new Pool(origin, { ...options, connect: { timeout: connectMs } }))
      : stored(`${proxy} ${origin}`, () => throughProxy(proxy, false));

  return {
    of,
    ofSocket(origin, proxy) {
      // TLS is always tunnelled.
      const isBare = proxy === null || proxy.startsWith('socks5:') || origin.startsWith('https:');
      return isBare ? of(origin, proxy) : stored(`${proxy} tunnel ${origin}`, () => throughProxy(proxy, true));
    },
    get connections() {
      const sum: ConnectionFigures = { connected: 0, free: 0, running: 0, waiting: 0 };
      for (const pool of known.values()) {
        if (!(pool instanceof Pool)) continue;
        const { connected, free, running, pending, queued } = pool.stats;
        sum.connected += connected;
        sum.free += free;
        sum.running += running;
        sum.waiting += pending + queued;
      }
      return sum;
    },
    async close() {
      await Promise.all([...known.values()].map((dispatcher) => dispatcher.destroy()));
      known.clear();
    },
  };
}

/**
 * Proxies take connection settings as a function, not as the `connect` object of pools; only the connect timeout is
 * passed.
 */
function throughProxy(proxy: string, isTunnel: boolean): Dispatcher {
  const connecting = { ...options, connectTimeout: connectMs };
  if (proxy.startsWith('socks5:')) return new Socks5ProxyAgent(proxy, connecting);
  return new ProxyAgent({ uri: proxy, ...(isTunnel ? { proxyTunnel: true } : {}), ...connecting });
}
