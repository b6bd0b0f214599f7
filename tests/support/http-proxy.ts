// HTTP proxy, by CONNECT and by absolute addresses (over TLS too), and SOCKS5 proxy; both require a user and a password and record destinations.
import { createServer as createHttp, type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export interface ForwardProxy extends AsyncDisposable {
  port: number;
  /** `host:port` of every connection that was let through. */
  readonly passed: string[];
  /** How many were turned away. */
  readonly refused: number;
}

interface Access {
  user: string;
  password: string;
}

/** @param tls its certificate: then it is spoken to over TLS */
export async function startConnectProxy({ user, password }: Access, tls?: { key: string; cert: string }): Promise<ForwardProxy> {
  const passed: string[] = [];
  let refused = 0;
  const sockets = new Set<Socket>();
  const server = tls === undefined ? createHttp() : createHttps(tls);
  const wanted = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { 'proxy-authorization': shown, 'proxy-connection': _hop, ...headers } = request.headers;
    const url = URL.parse(request.url ?? '');
    if (shown !== wanted || url === null) {
      refused += 1;
      response.writeHead(407, { 'proxy-authenticate': 'Basic' }).end();
      return;
    }
    passed.push(url.host);
    const onward = requestHttp(url, { method: request.method ?? 'GET', headers, agent: false }, (answered) => {
      response.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  server.on('connect', (request, inbound: Socket, head: Buffer) => {
    inbound.on('error', () => {});
    if (request.headers['proxy-authorization'] !== wanted) {
      refused += 1;
      inbound.end('HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    const target = request.url ?? '';
    passed.push(target);
    inbound.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    pipe(inbound, target, head, sockets);
  });
  await listen(server);
  return opened(server, sockets, passed, () => refused);
}

/** RFC 1928 and 1929: names and IPv4 addresses, with a user and a password. */
export async function startSocksProxy({ user, password }: Access): Promise<ForwardProxy> {
  const passed: string[] = [];
  let refused = 0;
  const sockets = new Set<Socket>();
  const server = createServer((inbound) => {
    sockets.add(inbound);
    inbound.on('error', () => {});
    const steps = [greet, authenticate, open];
    let stored = Buffer.alloc(0);
    const take = (bytes: Buffer) => {
      stored = Buffer.concat([stored, bytes]);
      for (let step = steps[0]; step !== undefined; step = steps[0]) {
        const used = step(stored, inbound);
        if (used === 0) return;
        stored = stored.subarray(used);
        steps.shift();
      }
      inbound.off('data', take);
    };
    inbound.on('data', take);
  });

  function greet(bytes: Buffer, inbound: Socket): number {
    const length = 2 + (bytes[1] ?? 0);
    if (bytes.length < 2 || bytes.length < length) return 0;
    inbound.write(Buffer.from([5, bytes.subarray(2, length).includes(2) ? 2 : 0xff]));
    return length;
  }

  function authenticate(bytes: Buffer, inbound: Socket): number {
    const userEnd = 2 + (bytes[1] ?? 0);
    const end = userEnd + 1 + (bytes[userEnd] ?? 0);
    if (bytes.length < userEnd + 1 || bytes.length < end) return 0;
    const isRight = bytes.subarray(2, userEnd).toString() === user && bytes.subarray(userEnd + 1, end).toString() === password;
    if (!isRight) refused += 1;
    inbound.write(Buffer.from([1, isRight ? 0 : 1]));
    if (!isRight) inbound.end();
    return end;
  }

  function open(bytes: Buffer, inbound: Socket): number {
    const isName = bytes[3] === 3;
    const from = isName ? 5 : 4;
    const end = from + (isName ? (bytes[4] ?? 0) : 4);
    if (bytes.length < end + 2) return 0;
    const host = isName ? bytes.subarray(from, end).toString() : bytes.subarray(from, end).join('.');
    const target = `${host}:${bytes.readUInt16BE(end)}`;
    passed.push(target);
    inbound.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
    pipe(inbound, target, bytes.subarray(end + 2), sockets);
    return end + 2;
  }

  await listen(server);
  return opened(server, sockets, passed, () => refused);
}

function pipe(inbound: Socket, target: string, head: Buffer, sockets: Set<Socket>): void {
  const [host = '', port = ''] = target.split(':');
  const outbound = connect(Number(port), host);
  sockets.add(outbound);
  outbound.on('error', () => inbound.destroy());
  inbound.on('error', () => outbound.destroy());
  if (head.length > 0) outbound.write(head);
  inbound.pipe(outbound);
  outbound.pipe(inbound);
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
}

function opened(server: Server, sockets: ReadonlySet<Socket>, passed: string[], refused: () => number): ForwardProxy {
  return {
    port: (server.address() as AddressInfo).port,
    passed,
    get refused() {
      return refused();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
