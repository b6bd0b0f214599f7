// A real server on a real socket for tests of the console; the page's own address points to it.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Requested {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: unknown;
}
export type Answering = (requested: Requested, response: ServerResponse) => void;

export interface FixtureServer {
  requested: Requested[];
  answer: (answering: Answering) => void;
  stop: () => Promise<void>;
  start: () => Promise<void>;
}

declare global {
  interface Window {
    happyDOM?: { setURL: (url: string) => void; setViewport: (size: { width: number; height: number }) => void };
  }
}

export async function startFixtureServer(): Promise<FixtureServer> {
  const requested: Requested[] = [];
  let answering: Answering = (_asked, response) => sendJson(response, { success: true, message: '' });
  let server: Server | undefined;
  let port = 0;

  async function start(): Promise<void> {
    server = createServer((request, response) => {
      void bodyOf(request).then((body) => {
        const one = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
        requested.push(one);
        answering(one, response);
      });
    });
    await new Promise<void>((resolve) => server?.listen(port, '127.0.0.1', resolve));
    const address = server.address();
    if (isPort(address)) port = address.port;
    window.happyDOM?.setURL(`http://127.0.0.1:${port}/`);
  }
  async function stop(): Promise<void> {
    server?.closeAllConnections();
    await new Promise((resolve) => server?.close(resolve));
  }
  await start();
  return { requested, answer: (next) => (answering = next), start, stop };
}

export function sendJson(response: ServerResponse, body: unknown, status = 200, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/**
 * Clears the recorded requests. Reads get `read` of their address, changes get the queued answers in order; a change without an answer is refused.
 */
export function queueAnswers(server: FixtureServer, read: (url: string) => unknown): object[] {
  const answers: object[] = [];
  server.requested.length = 0;
  server.answer(({ method, url }, response) => {
    const refusal = { success: false, message: `unexpected ${method} ${url}` };
    sendJson(response, method === 'GET' ? { success: true, message: '', data: read(url) } : (answers.shift() ?? refusal));
  });
  return answers;
}

/** Holds back the answer to the next change until it is released; later ones are answered with `later`. */
export function holdChange(
  server: FixtureServer,
  { read, answer, later }: { read: (url: string) => unknown; answer: object; later: object },
): { isRequested: () => boolean; release: () => void } {
  let held: ServerResponse | undefined;
  server.answer(({ method, url }, response) => {
    if (method === 'GET') sendJson(response, { success: true, message: '', data: read(url) });
    else if (held === undefined) held = response;
    else sendJson(response, later);
  });
  return {
    isRequested: () => held !== undefined,
    release: () => {
      if (held !== undefined) sendJson(held, answer);
    },
  };
}

/** Returns the bodies of all changes that were requested. */
export function sentChanges(server: FixtureServer): unknown[] {
  return server.requested.filter(({ method }) => method !== 'GET').map(({ body }) => body);
}

function isPort(address: string | AddressInfo | null): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return text === '' ? undefined : JSON.parse(text);
}

/** Makes the test's page as wide as a desk's, until the file ends. */
export function widenToDesk(): void {
  window.happyDOM?.setViewport({ width: 1440, height: 900 });
}
