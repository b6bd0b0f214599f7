// Providers of videos over a real socket, for tests: requests in each format get the responses that the test sets, and are recorded.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface VideoVisit {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
  /** Of JSON; null of anything else. */
  // The tests say what they expect of it.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
}

/** Undefined: this is answered by the next one. */
export type VideoServing = (visit: VideoVisit) => VideoReply | undefined;
export type VideoReply =
  | { status?: number; body: unknown }
  | { bytes: Buffer; type: string; status?: number; location?: string }
  /** The connection breaks after the question has come. */
  | 'cut';

export interface FakeVideos extends AsyncDisposable {
  url: string;
  readonly visits: VideoVisit[];
  /** The last one is tried first. */
  serve(serving: VideoServing): void;
}

export async function startFakeVideos(...first: VideoServing[]): Promise<FakeVideos> {
  const visits: VideoVisit[] = [];
  const servings = [...first];
  const answer = (visit: VideoVisit, response: ServerResponse) => {
    for (const serving of servings.toReversed()) {
      const reply = serving(visit);
      if (reply === undefined) continue;
      if (reply === 'cut') return response.destroy();
      const [type, bytes] = 'bytes' in reply ? [reply.type, reply.bytes] : ['application/json', JSON.stringify(reply.body)];
      return response
        .writeHead(reply.status ?? 200, {
          'content-type': type,
          'content-length': Buffer.byteLength(bytes),
          ...('location' in reply ? { location: reply.location } : {}),
        })
        .end(bytes);
    }
    return response.writeHead(418, { 'content-type': 'application/json' }).end('{"error":{"message":"nobody answers this"}}');
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('latin1');
      const isJson = (request.headers['content-type'] ?? '').startsWith('application/json') && text !== '';
      const { method = '', url: path = '', headers } = request;
      const visit = { method, path, headers, text, body: isJson ? JSON.parse(Buffer.concat(chunks).toString()) : null };
      visits.push(visit);
      answer(visit, response);
    });
    request.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    visits,
    serve: (serving) => void servings.push(serving),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const film = Buffer.from('0000001866747970 69736f6d'.replaceAll(' ', ''), 'hex');

/** `/v1/videos` as OpenAI has it; requests in another form are refused. */
export function soraServing(): {
  serving: VideoServing;
  report(id: string, fields: Record<string, unknown>): void;
  readonly taken: string[];
} {
  const reported = new Map<string, Record<string, unknown>>();
  const taken: string[] = [];
  const begin = (fields: Record<string, unknown>) => {
    const id = `video_up_${taken.length + 1}`;
    taken.push(id);
    reported.set(id, { id, object: 'video', status: 'queued', progress: 0, created_at: 1_790_000_000, ...fields });
    return { body: reported.get(id) };
  };
  const refuse = (message: string) => ({
    status: 400,
    body: { error: { message, type: 'invalid_request_error', code: 'invalid_value', param: 'size' } },
  });
  const serving: VideoServing = (visit) => {
    const { method, path, headers } = visit;
    const [place = '', query = ''] = path.split('?');
    if (!place.startsWith('/v1/videos')) return undefined;
    if (headers.authorization?.startsWith('Bearer sk-') !== true)
      return { status: 401, body: { error: { message: 'no key', code: 'invalid_api_key' } } };
    if (method === 'POST' && place === '/v1/videos') {
      const fields = visit.body ?? fieldsOf(visit.text);
      if (!['4', '8', '12'].includes(fields.seconds)) return refuse('Invalid value for seconds');
      if (!/^(720x1280|1280x720|1024x1792|1792x1024)$/.test(fields.size)) return refuse('Invalid value for size');
      return begin({ model: fields.model, prompt: fields.prompt, seconds: fields.seconds, size: fields.size });
    }
    const [, id = '', action] = /^\/v1\/videos\/([^/]+)(?:\/(\w+))?$/.exec(place) ?? [];
    const known = reported.get(id);
    if (known === undefined) return { status: 404, body: { error: { message: 'no such video', code: 'not_found' } } };
    if (method === 'POST' && action === 'remix') return begin({ model: known['model'], remixed_from_video_id: id });
    if (method === 'GET' && action === undefined) return { body: known };
    if (method === 'GET' && action === 'content')
      return query === 'variant=thumbnail' ? { bytes: Buffer.from('RIFF'), type: 'image/webp' } : { bytes: film, type: 'video/mp4' };
    if (method === 'DELETE' && reported.delete(id)) return { body: { id, object: 'video.deleted', deleted: true } };
    return undefined;
  };
  return { serving, taken, report: (id, fields) => void reported.set(id, { ...reported.get(id), ...fields }) };
}

/** Texts of a form. */
function fieldsOf(text: string): Record<string, string> {
  const found = text.matchAll(/name="(\w+)"\r\n\r\n([^\r]*)\r\n/g);
  return Object.fromEntries([...found].map(([, name = '', value = '']) => [name, value]));
}
