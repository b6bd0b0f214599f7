// Serves images of upstreams to browsers, fetched through the guarded egress; other content is refused. The bytes are streamed as
// fast as the browser reads, so that images for slow clients are not held in memory.
import { AppError } from '#shared/errors.ts';
import { EgressRefusal } from '#server/egress/egress-refusal.ts';
import type { EgressStream } from '#server/egress/egress.ts';
import { createFairQueue, type FairQueue, type FairQueueLimits, QueueFull } from '#server/queues/fair-queue.ts';
import { networkOf, subscriberOf } from '#server/http/client-address.ts';
import type { Connection } from '#server/http/connection.ts';
import { toAppError } from '#server/http/failure.ts';
import type { RouteHost } from '#server/http/mount.ts';

/** Maximum time to wait for the upstream. */
const waitMs = 30_000;
const mostBytes = 20 * 1024 * 1024;
/** Maximum time for a whole image, however slowly it is read. */
const longestMs = 600_000;
/** Limits, so that no address or network can block the images of others; many networks together can for `longestMs` at most. */
const allPictures = createFairQueue({ atOnce: 240, places: 1_000, placesPerNetwork: 240, placesPerSource: 60 });
const ofOneNetwork = { atOnce: 60, places: 240, placesPerSource: 60 };
const ofOneAddress = { atOnce: 12, places: 60, placesPerSource: 60 };
const byNetwork = new Map<string, FairQueue>();
const byAddress = new Map<string, FairQueue>();
/** Image types, which browsers display and do not execute. */
const types: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/jpg', 'image/webp', 'image/gif', 'image/avif', 'image/bmp']);
const retentionSeconds = 86_400;

export interface ImageRequest {
  request: Request;
  connection: Connection | null;
  /** Finds the URL of the image; null if there is none, and clients get the error `missing`. */
  find: () => Promise<{ url: string; isFinal: boolean } | null>;
  missing: string;
}

export async function servePicture(host: RouteHost, { request, connection, find, missing }: ImageRequest): Promise<Response> {
  const { context } = host;
  const facts = host.facts(request, connection);
  const headers = { 'x-oneapi-request-id': facts.requestId, 'x-content-type-options': 'nosniff' };
  const refuse = (status: number, error: string) =>
    Response.json({ error }, { status, headers: { ...headers, 'cache-control': 'no-store' } });
  const leaving = new AbortController();
  connection?.res.once('close', () => leaving.abort());
  try {
    const found = await find();
    if (found === null || found.url === '') return refuse(400, missing);
    const picture = await openPicture(host, { url: found.url, ip: facts.ip, signal: leaving.signal });
    const { status, type } = picture;
    if (type === null) {
      picture.close();
      return refuse(status >= 400 && status < 600 ? status : 502, 'http_get_image_failed');
    }
    return new Response(bodyOf(picture), {
      headers: {
        ...headers,
        'content-type': type,
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'cross-origin',
        'cache-control': found.isFinal ? `public, max-age=${retentionSeconds}` : 'no-store',
      },
    });
  } catch (failure) {
    if (failure instanceof EgressRefusal) {
      if (!leaving.signal.aborted) context.log.warn({ reason: failure.reason }, 'a picture could not be fetched');
      // The host of the image failed.
      return refuse(502, 'http_get_image_failed');
    }
    const error = toAppError(failure instanceof QueueFull ? new AppError('rate_limited') : failure, context, facts.requestId);
    return refuse(error.status, error.code);
  }
}

interface Picture extends Pick<EgressStream, 'status' | 'read' | 'close'> {
  /** Media type; null if it is no image. */
  type: string | null;
}

interface Wanted {
  url: string;
  ip: string;
  /** Aborted when no client waits for the image any more. */
  signal: AbortSignal;
}

/** Opens an image. It counts against the limits until it is closed, when its client disconnects or its time is over. */
function openPicture({ context }: RouteHost, { url, ip, signal }: Wanted): Promise<Picture> {
  return new Promise((resolve, reject) => {
    const opening = inTurn(ip, async () => {
      if (signal.aborted) throw new EgressRefusal('timeout');
      const stream = await context.egress.open({
        url,
        method: 'GET',
        headers: { accept: 'image/*', 'accept-encoding': 'identity' },
        milliseconds: waitMs,
        maxBytes: mostBytes,
        redirects: 3,
        signal,
      });
      await new Promise<void>((free) => {
        const close = () => {
          clearTimeout(timer);
          stream.close();
          free();
        };
        const timer = setTimeout(close, longestMs);
        if (signal.aborted) close();
        signal.addEventListener('abort', close, { once: true });
        resolve({ status: stream.status, type: typeOf(stream), read: stream.read, close });
      });
    });
    opening.catch(reject);
  });
}

function inTurn(ip: string, work: () => Promise<void>): Promise<void> {
  const source = { name: subscriberOf(ip), network: networkOf(ip) };
  const inAll = () => allPictures.run(source, work);
  const inNetwork = () =>
    inQueueOfNetwork({ lines: byNetwork, name: source.network, limits: ofOneNetwork }, (line) => line.run(source, inAll));
  return inQueueOfNetwork({ lines: byAddress, name: source.name, limits: ofOneAddress }, (line) => line.run(source, inNetwork));
}

/** Runs work in the queue of a network; a queue exists while it has work. */
async function inQueueOfNetwork(
  { lines, name, limits }: { lines: Map<string, FairQueue>; name: string; limits: FairQueueLimits },
  run: (line: FairQueue) => Promise<void>,
): Promise<void> {
  const line = lines.get(name) ?? createFairQueue(limits);
  lines.set(name, line);
  try {
    await run(line);
  } finally {
    if (line.running === 0 && lines.get(name) === line) lines.delete(name);
  }
}

/** Returns the body of the response. An image that breaks off ends it with an error, so that browsers discard it. */
function bodyOf({ read, close }: Picture): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(stream) {
        try {
          const part = await read();
          if (part !== null) return stream.enqueue(part);
          stream.close();
          close();
        } catch (failure) {
          close();
          throw failure;
        }
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  );
}

/** Returns the media type; null if the content is no image or too large. */
function typeOf({ status, headers }: EgressStream): string | null {
  const type = (headers['content-type'] ?? 'image/jpeg').split(';')[0]?.trim().toLowerCase() ?? '';
  const isWhole = status === 200 && headers['content-encoding'] === undefined;
  return isWhole && types.has(type) && !(Number(headers['content-length']) > mostBytes) ? type : null;
}
