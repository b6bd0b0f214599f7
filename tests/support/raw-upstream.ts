// A provider that writes what the test writes, byte by byte if need be.
import { createServer, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RawUpstream extends AsyncDisposable {
  url: string;
  calls: number;
}

export interface RawUpstreamOptions {
  status?: number;
  /** `none`: no content type. */
  type?: string;
  headers?: OutgoingHttpHeaders;
}

export async function startRawUpstream(
  answer: (response: ServerResponse) => void | Promise<void>,
  { status = 200, type = 'text/event-stream', headers = {} }: RawUpstreamOptions = {},
): Promise<RawUpstream> {
  const server = createServer((request, response) => {
    upstream.calls += 1;
    request.resume();
    request.on('end', () => {
      response.writeHead(status, { ...(type === 'none' ? {} : { 'content-type': type }), ...headers });
      void answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;
  const upstream: RawUpstream = {
    url: `http://127.0.0.1:${address.port}`,
    calls: 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return upstream;
}
