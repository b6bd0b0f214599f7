// Downloads media from addresses that callers give, for providers that need the bytes: through the guarded egress or, if the operator has configured
// one, through a worker. Limits size, time, and concurrency, in total and per owner.
import type { Egress, EgressRequest, EgressStream } from '#server/egress/egress.ts';
import { type EgressReason, EgressRefusal } from '#server/egress/egress-refusal.ts';
import { isPublicHost } from '#server/egress/public-addresses.ts';
import type { BodyHold } from '#server/http/bodies.ts';
import { createFairQueue, type FairQueue, QueueFull } from '#server/queues/fair-queue.ts';
import type { Settings } from '#server/settings/settings.ts';

export interface Download {
  bytes: Buffer;
  /** As its server reports it, in lower case and without parameters; empty: none. */
  contentType: string;
  /** Of a text, as its server reports it; empty: none. */
  charset: string;
}

export interface DownloadRequest {
  url: string;
  /** Caller of the download. */
  owner: string;
  /** Grows by what is there. */
  hold: Pick<BodyHold, 'grow'>;
  signal?: AbortSignal;
}

export type DownloadReason =
  | EgressReason
  /** Its server has answered with another status than 200. */
  | 'status'
  | 'no_content'
  /** What has come would have to be unpacked. */
  | 'encoded'
  /** The operator's worker does not answer. */
  | 'worker'
  /** The owner waits for too many already. */
  | 'too_many'
  /** The operator wants none. */
  | 'switched_off';

export class DownloadRefusal extends Error {
  readonly reason: DownloadReason;
  /** Of its server's answer; 0: there is none. */
  readonly status: number;
  /** Bytes that it may have. */
  readonly limit: number;
  constructor(reason: DownloadReason, { status = 0, limit = 0, ...options }: ErrorOptions & { status?: number; limit?: number } = {}) {
    super(`Nothing was downloaded: ${reason}`, options);
    this.name = 'DownloadRefusal';
    this.reason = reason;
    this.status = status;
    this.limit = limit;
  }
}

export interface Downloads {
  /** @throws {DownloadRefusal} @throws {AppError} `bodies_of_caller`, `bodies_of_server` */
  fetch(request: DownloadRequest): Promise<Download>;
}

interface DownloadDependencies {
  egress: Pick<Egress, 'open'>;
  settings: Pick<Settings, 'get'>;
  /** Bytes of one; 0: none is fetched. */
  mostBytes: number;
}

/** For one of them, in milliseconds. */
const longest = 30_000;
const firstBytes = 64 * 1024;
const redirects = 3;
const atOnce = 64;
const atOnceOfOwner = 6;
const placesOfOwner = 64;

export function createDownloads({ egress, settings, mostBytes }: DownloadDependencies): Downloads {
  const all = createFairQueue({ atOnce, places: 4_096, placesPerSource: placesOfOwner });
  const owners = new Map<string, FairQueue>();

  async function inTurn<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
    const own = owners.get(owner) ?? createFairQueue({ atOnce: atOnceOfOwner, places: placesOfOwner, placesPerSource: placesOfOwner });
    owners.set(owner, own);
    try {
      return await own.run(owner, () => all.run(owner, work));
    } finally {
      if (own.running === 0 && own.waiting === 0 && owners.get(owner) === own) owners.delete(owner);
    }
  }

  /** A request that is aborted before its turn waits no longer; its slot is skipped. @throws {DownloadRefusal} */
  function unlessLeft<Result>({ owner, signal }: DownloadRequest, work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const leave = () => reject(new DownloadRefusal('timeout'));
      signal?.addEventListener('abort', leave, { once: true });
      const begin = () => {
        signal?.removeEventListener('abort', leave);
        if (signal?.aborted === true) throw new DownloadRefusal('timeout');
        return work();
      };
      inTurn(owner, async () => begin()).then(resolve, reject);
    });
  }

  return {
    async fetch(request) {
      if (mostBytes === 0) throw new DownloadRefusal('switched_off');
      try {
        return await unlessLeft(request, () => download(egress, requestFor(settings, request.url), { ...request, mostBytes }));
      } catch (failure) {
        if (failure instanceof QueueFull) throw new DownloadRefusal('too_many', { cause: failure });
        if (!(failure instanceof EgressRefusal)) throw failure;
        const isOfWorker = settings.get('WorkerUrl') !== '' && failure.reason !== 'too_large';
        throw new DownloadRefusal(isOfWorker ? 'worker' : failure.reason, { cause: failure, limit: mostBytes });
      }
    },
  };
}

type Requested = Pick<EgressRequest, 'url' | 'method' | 'headers' | 'redirects' | 'allowsPlain' | 'isTrusted' | 'body'>;

/** The worker is the operator's own; what an address may lead to from there is judged there too. @throws {DownloadRefusal} */
function requestFor(settings: Pick<Settings, 'get'>, address: string): Requested {
  const url = URL.parse(address);
  if (url === null) throw new DownloadRefusal('unknown_host');
  // Names and passwords in an address are removed.
  [url.username, url.password, url.hash] = ['', '', ''];
  const worker = settings.get('WorkerUrl');
  if (worker === '') {
    return {
      url: url.href,
      method: 'GET',
      headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'Tidegate' },
      redirects,
      allowsPlain: true,
    };
  }
  if (url.protocol !== 'https:') throw new DownloadRefusal('not_https');
  if (!isPublicHost(url.hostname)) throw new DownloadRefusal('private_address');
  return {
    url: `${worker}/`,
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: '*/*', 'accept-encoding': 'identity' },
    body: Buffer.from(JSON.stringify({ url: url.href, key: settings.get('WorkerValidKey') })),
    redirects: 0,
    isTrusted: true,
  };
}

async function download(
  egress: Pick<Egress, 'open'>,
  requested: Requested,
  { hold, signal, mostBytes }: DownloadRequest & { mostBytes: number },
): Promise<Download> {
  const stream = await egress.open({
    ...requested,
    milliseconds: longest,
    maxBytes: mostBytes,
    signal,
  });
  try {
    const { status, headers } = stream;
    if (status !== 200) throw new DownloadRefusal('status', { status });
    if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity') throw new DownloadRefusal('encoded');
    if (Number(headers['content-length'] ?? 0) > mostBytes) throw new DownloadRefusal('too_large', { limit: mostBytes });
    const bytes = await readAll(stream, hold);
    return { bytes, ...typeIn(headers['content-type'] ?? '') };
  } finally {
    stream.close();
  }
}

/** What is no type is nothing that anybody could go by. */
function typeIn(header: string): Pick<Download, 'contentType' | 'charset'> {
  const [type = ''] = header.split(';', 1);
  const contentType = type.trim().toLowerCase();
  const charset = /;\s*charset\s*=\s*"?([\w.:+-]{1,40})/i.exec(header)?.[1] ?? '';
  return { contentType: /^[\w.+-]{1,60}\/[\w.+-]{1,100}$/.test(contentType) ? contentType : '', charset };
}

/** Reads into one growing buffer: separate chunks would cost more memory if a server sends byte by byte. */
async function readAll(stream: EgressStream, hold: Pick<BodyHold, 'grow'>): Promise<Buffer> {
  let bytes = Buffer.allocUnsafe(firstBytes);
  let length = 0;
  for (let part = await stream.read(); part !== null; part = await stream.read()) {
    hold.grow(part.length);
    if (length + part.length > bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(bytes.length * 2, length + part.length));
      bytes.copy(larger, 0, 0, length);
      bytes = larger;
    }
    part.copy(bytes, length);
    length += part.length;
  }
  if (length === 0) throw new DownloadRefusal('no_content');
  return bytes.subarray(0, length);
}
