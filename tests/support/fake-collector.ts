// An OpenTelemetry collector that stores what it receives, as bytes: ids and names are found in them as they are.
import { createServer } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { until } from './until.ts';

export interface FakeCollector extends AsyncDisposable {
  url: string;
  received: { path: string; body: Buffer }[];
  /** Waits until all these bytes were received at the path, in whatever exports. */
  got(path: string, ...parts: (string | Buffer)[]): Promise<void>;
}

export async function startFakeCollector(): Promise<FakeCollector> {
  const received: FakeCollector['received'] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      received.push({ path: request.url ?? '', body: request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body });
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    async got(path, ...parts) {
      await until(() => parts.every((part) => received.some((one) => one.path === path && one.body.includes(part))));
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
