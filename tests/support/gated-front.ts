// Proxy in front of a provider that holds single exchanges back: the request, or the response.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readAll } from './upstream-exchange.ts';

export interface Gate {
  /** Of `METHOD path`. */
  at: RegExp;
  /** `before`: the provider never receives the request. `after`: the provider has processed it, and the response is lost. */
  when: 'before' | 'after';
}

export interface GatedFront extends AsyncDisposable {
  readonly url: string;
  /** The next exchange like it is held until its asker is gone. Resolves when it is. */
  hold(gate: Gate): Promise<void>;
}

export async function startGatedFront(provider: string): Promise<GatedFront> {
  const gates: (Gate & { isHeld: () => void })[] = [];
  const server = createServer((incoming, response) => {
    const pass = async (): Promise<void> => {
      const { method = '', url = '', headers } = incoming;
      const body = await readAll(incoming);
      const at = gates.findIndex((one) => one.at.test(`${method} ${url}`));
      const [gate] = at < 0 ? [] : gates.splice(at, 1);
      if (gate?.when === 'before') return gate.isHeld();
      const { host: _host, connection: _connection, 'transfer-encoding': _chunked, 'content-length': _length, ...passed } = headers;
      const answer = await fetch(provider + url, {
        method,
        headers: passed as Record<string, string>,
        ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
      });
      const bytes = Buffer.from(await answer.arrayBuffer());
      if (gate !== undefined) return gate.isHeld();
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(bytes);
    };
    pass().catch((cause: unknown) => response.destroy(cause instanceof Error ? cause : undefined));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold: (gate) =>
      new Promise((resolve) => {
        gates.push({ ...gate, isHeld: resolve });
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
