// A TCP proxy that can be cut and restored: a network, or a server, that goes away, or MongoDB that leaves operations unanswered.
import { connect, createServer, type Server, type Socket } from 'node:net';

export interface TcpProxy {
  /** `host:port` to connect to. */
  address: string;
  /** Holds connections open but passes nothing through, as a network that drops packets does; `cut` and `restore` end it. */
  stall(): void;
  /**
   * Holds requests to MongoDB or its responses back, while the driver's monitor gets responses as always: a server that is frozen or overloaded. With
   * `only`, holds only commands whose first bytes match.
   */
  holdBack(what: 'requests' | 'answers', only?: RegExp): void;
  /** Sends the data that was held back, even if its requester has gone. */
  release(): void;
  /** Number of chunks held back since `holdBack`. */
  readonly heldBack: number;
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

  let held: { what: 'requests' | 'answers'; only: RegExp } | undefined;
  let heldBack = 0;
  const late: (() => void)[] = [];

  const join = (inbound: Socket, outbound: Socket) => {
    // From the first command that is held back on.
    let isHeld = false;
    const pass = (from: Socket, to: Socket, bytes: Buffer) => {
      if (isStalled) return;
      const isRequest = from === inbound;
      const head = bytes.subarray(0, 64).toString('latin1');
      if (isRequest && held !== undefined && !/hello|ismaster/i.test(head) && held.only.test(head)) isHeld = true;
      if (held === undefined || !isHeld || isRequest !== (held.what === 'requests')) {
        to.write(bytes);
        return;
      }
      heldBack += 1;
      late.push(() => {
        isHeld = false;
        to.write(bytes);
        if (from.destroyed) to.end();
      });
    };
    for (const [from, to] of [
      [inbound, outbound],
      [outbound, inbound],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => pass(from, to, Buffer.from(bytes)));
      from.on('end', () => to.end());
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        if (!isHeld || to === inbound) to.destroy();
      });
    }
  };

  const listen = async () => {
    const listener = createServer((inbound) => join(inbound, connect(target)));
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject);
      listener.listen(port, '127.0.0.1', resolve);
    });
    const address = listener.address();
    if (typeof address !== 'object' || address === null) throw new Error('The proxy has no port');
    port = address.port;
    server = listener;
    isStalled = false;
    held = undefined;
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
  return {
    address: `127.0.0.1:${port}`,
    stall,
    holdBack(what, only = /(?:)/) {
      held = { what, only };
      heldBack = 0;
    },
    release() {
      held = undefined;
      for (const send of late.splice(0)) send();
    },
    get heldBack() {
      return heldBack;
    },
    cut,
    restore: listen,
    close: cut,
  };
}
