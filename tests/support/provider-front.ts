// What stands before the fake upstream, so that it looks like a provider who hosts the formats of others: it judges each request by that
// provider's rules, and passes on what is right in the format's own form.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { isObject } from './upstream-responses.ts';

/** What a stand-in that answers by itself refuses. */
export const refusedText = 'No such tide';

export interface FrontedRequest {
  method: string;
  /** With the query. */
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Destination of a request, or an immediate response. */
export type Judgement =
  | {
      kind: 'pass';
      path: string;
      /** Bytes are passed through, with the media type among the headers. */
      body: object;
      headers?: Record<string, string>;
      relay?: (answer: IncomingMessage, response: ServerResponse) => void;
    }
  | { kind: 'answer'; status: number; body: object; headers?: Record<string, string> }
  | { kind: 'bytes'; type: string; bytes: Buffer };

export interface ProviderFront {
  /** Of the front. */
  url: string;
  /** What a channel to it has. */
  channel: { type: number; key: string; other?: string };
  close(): Promise<void>;
}

/** @param judge is given the front's own address @param upgrade of requests that want to become a socket */
export async function startFront(
  upstreamUrl: string,
  judge: (request: FrontedRequest, url: string) => Judgement | Promise<Judgement>,
  upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void,
): Promise<Omit<ProviderFront, 'channel'>> {
  let url = '';
  const server = createServer((incoming, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
      const { method = '', url: path = '', headers } = incoming;
      const judged = await judge({ method, path, headers, body: Buffer.concat(chunks) }, url);
      if (judged.kind === 'pass') passOn(`${upstreamUrl}${judged.path}`, judged, response);
      else if (judged.kind === 'bytes') response.writeHead(200, { 'content-type': judged.type }).end(judged.bytes);
      else response.writeHead(judged.status, { 'content-type': 'application/json', ...judged.headers }).end(JSON.stringify(judged.body));
    })().catch((cause: unknown) => response.destroy(cause instanceof Error ? cause : undefined));
  });
  if (upgrade !== undefined) server.on('upgrade', upgrade);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  url = `http://127.0.0.1:${port}`;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url, close };
}

function passOn(url: string, { body, headers, relay = relayBytes }: Extract<Judgement, { kind: 'pass' }>, response: ServerResponse): void {
  const sent = httpRequest(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers } }, (answer) => {
    answer.once('error', () => response.destroy());
    relay(answer, response);
  });
  sent.once('error', () => response.destroy());
  response.once('close', () => sent.destroy());
  sent.end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
}

function relayBytes(answer: IncomingMessage, response: ServerResponse): void {
  response.writeHead(answer.statusCode ?? 502, { 'content-type': answer.headers['content-type'] ?? 'application/json' });
  answer.pipe(response);
}

export function jsonOf(body: Buffer): Record<string, unknown> {
  const value: unknown = JSON.parse(body.toString());
  if (!isObject(value)) throw new Error('The body is no object');
  return value;
}
