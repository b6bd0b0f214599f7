// Provider that reports balances: serves the responses that the test sets by path, to every client.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface BillingUpstream extends AsyncDisposable {
  url: string;
  /** Path without its query → response: an object, or a status. */
  at: Record<string, object | number | string>;
  /** Done before the response is sent. */
  before: (() => Promise<void>) | undefined;
  requested: { path: string; headers: IncomingHttpHeaders }[];
}

export async function startBillingUpstream(): Promise<BillingUpstream> {
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    upstream.requested.push({ path, headers: request.headers });
    await upstream.before?.();
    const found = upstream.at[path.replace(/\?.*$/, '')] ?? 404;
    const status = typeof found === 'number' ? found : 200;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof found === 'string' ? found : JSON.stringify(typeof found === 'number' ? { error: { message: 'no' } } : found));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const upstream: BillingUpstream = {
    url: `http://127.0.0.1:${port}`,
    at: {},
    before: undefined,
    requested: [],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return upstream;
}
