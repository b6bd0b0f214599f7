// A TCP proxy that can be cut and restored: a network, or a server, that goes away.
import { connect, createServer, type Server, type Socket } from 'node:net';

export interface TcpProxy {
  /** `host:port` to connect to. */
  address: string;
  /** Keeps connections open but lets nothing through, as a network that drops packets does; `cut` and `restore` end it. */
  stall(): void;
  /** Ends all connections and refuses new ones. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  close(): Promise<void>;
}

export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let port = 0;
  let server: Server | undefined;
  let isStalled = false;

  const listen = async () => {
    const listener = createServer((inbound) => {
      const outbound = connect(target);
      for (const [from, to] of [
        [inbound, outbound],
        [outbound, inbound],
      ] as const) {
        sockets.add(from);
        from.on('data', (bytes) => {
          if (!isStalled) to.write(bytes);
        });
        from.on('end', () => to.end());
        from.on('error', () => to.destroy());
        from.on('close', () => {
          sockets.delete(from);
          to.destroy();
        });
      }
    });
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject);
      listener.listen(port, '127.0.0.1', resolve);
    });
    const address = listener.address();
    if (typeof address !== 'object' || address === null) throw new Error('The proxy has no port');
    port = address.port;
    server = listener;
    isStalled = false;
  };

  const cut = async () => {
    const listener = server;
    server = undefined;
    if (listener === undefined) return;
    const closed = new Promise((resolve) => listener.close(resolve));
    for (const socket of sockets) socket.resetAndDestroy();
    await closed;
  };

  await listen();
  const stall = () => {
    isStalled = true;
  };
  return { address: `127.0.0.1:${port}`, stall, cut, restore: listen, close: cut };
}
