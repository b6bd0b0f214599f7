// Fake internet for the guarded egress: names resolve to the addresses that the test sets, and a connection to any address ends at a server of this
// machine. Connected addresses are recorded.
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createHttpServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import type { Network } from '#server/egress/egress.ts';
import { localhostTls } from './trust-localhost.ts';

export interface Visit {
  method: string;
  host: string;
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
}

export type Serving = (visit: Visit, response: ServerResponse) => void;

export interface FakeInternet extends AsyncDisposable {
  network: Network;
  /** Requests to the server, in order. */
  readonly visits: Visit[];
  /** `address:port` of every connection. */
  readonly connections: string[];
  /** How often each name was looked up. */
  readonly lookups: string[];
  /** The addresses of a name; with several lists, one after the other, the last for ever. */
  name(host: string, ...answers: string[][]): void;
  serve(serving: Serving): void;
  /** Connections that are open now. */
  open(): number;
  /** Connections to it go nowhere. */
  silence(address: string): void;
}

/** The certificate of the stand-in is for this name. */
export const publicName = 'localhost';
export const publicAddress = '93.184.216.34';

export async function startFakeInternet({ isPlain = false }: { isPlain?: boolean } = {}): Promise<FakeInternet> {
  const visits: Visit[] = [];
  const connections: string[] = [];
  const lookups: string[] = [];
  const names = new Map<string, string[][]>([[publicName, [[publicAddress]]]]);
  const silent = new Set<string>();
  let serving: Serving = (_visit, response) => response.end('ok');

  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const visit = { method, path, headers, host: headers.host ?? '', text: Buffer.concat(chunks).toString() };
      visits.push(visit);
      serving(visit, response);
    });
    request.on('error', () => undefined);
  };
  const server = isPlain ? createHttpServer(answer) : createHttpsServer(localhostTls, answer);
  server.on('tlsClientError', () => undefined);
  let open = 0;
  server.on('connection', (socket) => {
    open += 1;
    socket.once('close', () => (open -= 1));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: own } = server.address() as AddressInfo;

  return {
    visits,
    connections,
    lookups,
    network: {
      async resolve(host) {
        lookups.push(host);
        const answers = names.get(host);
        if (answers === undefined) throw new Error('ENOTFOUND');
        return (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
      },
      connect(address, port) {
        connections.push(`${address}:${port}`);
        return silent.has(address) ? new Socket() : connect(own, '127.0.0.1');
      },
    },
    name: (host, ...answers) => void names.set(host, answers),
    serve: (next) => void (serving = next),
    open: () => open,
    silence: (address) => void silent.add(address),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
