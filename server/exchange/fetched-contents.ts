// Downloads the contents that a response links to. Appears as one exchange: one deadline, one abort.
import type { Egress, EgressStream } from '#server/egress/egress.ts';
import { EgressRefusal } from '#server/egress/egress-refusal.ts';
import type { ContentsToFetch, LinkedContents } from '#server/formats/linked-contents.ts';
import type { Exchange, Received } from './exchange.ts';
import { FollowedSending } from './followed-sending.ts';
import { SendFailure } from './send-failure.ts';
import type { SendLimits } from './send.ts';
import { timeoutFailure, unreachableContent } from './upstream-error.ts';

interface Fetching {
  named: LinkedContents;
  egress: Pick<Egress, 'open'>;
  limits: SendLimits;
}

type Whole = Extract<Received, { kind: 'whole' }>;

/** Time limit of one download; milliseconds. */
const longestFetch = 60_000;
/** Maximum number of URLs; callers may request ten images. */
const mostAddresses = 10;
const base64Growth = 4 / 3;
/** Content types of error pages. */
const pages = /^\s*(?:text\/|application\/(?:json|xml|xhtml|problem))/i;

export function withContents(first: Exchange, fetching: Fetching): Exchange {
  const sending = new FetchingSending(first.sending);
  const deadline = performance.now() + fetching.limits.responseMs;
  const received = first.received.then((response) => {
    const wanted = response.kind === 'whole' ? fetching.named(response.body) : null;
    return response.kind === 'whole' && wanted !== null ? fetched(response, wanted, { ...fetching, sending, deadline }) : response;
  });
  return { sending, received };
}

interface Fetch extends Fetching {
  sending: FetchingSending;
  /** Monotonic milliseconds. */
  deadline: number;
}

async function fetched(response: Whole, { addresses, put }: ContentsToFetch, fetch: Fetch): Promise<Received> {
  if (addresses.length > mostAddresses) return unreachable();
  const contents: Buffer[] = [];
  let bytes = 0;
  // Downloads one after the other to bound memory.
  for (const address of addresses) {
    const content = await fetchOne(address, bytes, fetch);
    if (!Buffer.isBuffer(content)) return content;
    contents.push(content);
    bytes += content.length;
  }
  return { ...response, body: put(contents) };
}

/** @param before bytes downloaded so far */
async function fetchOne(address: string, before: number, fetch: Fetch): Promise<Buffer | Received> {
  const { egress, sending, deadline, limits } = fetch;
  const left = deadline - performance.now();
  if (left <= 0) return endedBy('timeout', 'the contents were not there in time');
  let stream: EgressStream | null = null;
  try {
    stream = await egress.open({
      // Some providers link to `http:` though their hosts support TLS.
      url: address.replace(/^http:/, 'https:'),
      method: 'GET',
      headers: { accept: '*/*', 'accept-encoding': 'identity' },
      milliseconds: Math.min(left, longestFetch),
      signal: sending.signal,
      maxBytes: Math.floor(limits.maxBytes / base64Growth) - before,
      redirects: 3,
    });
    const { status, headers } = stream;
    const isContent = status === 200 && headers['content-encoding'] === undefined && !pages.test(headers['content-type'] ?? '');
    return isContent ? await readAll(stream, before, fetch) : unreachable();
  } catch (failure) {
    if (!(failure instanceof EgressRefusal)) throw failure;
    return sending.isAborted ? endedBy('aborted', 'the call was ended') : unreachable();
  } finally {
    stream?.close();
  }
}

/** Reads chunk by chunk, as capacity allows. */
async function readAll(stream: EgressStream, before: number, fetch: Fetch): Promise<Buffer | Received> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for (let part = await stream.read(); part !== null; part = await stream.read()) {
    parts.push(part);
    bytes += part.length;
    await hasRoom(Math.ceil((before + bytes) * base64Growth), fetch);
    if (fetch.sending.isAborted) return endedBy('aborted', 'the call was ended');
    if (performance.now() > fetch.deadline) return endedBy('timeout', 'the contents were not there in time');
  }
  return bytes === 0 ? unreachable() : Buffer.concat(parts, bytes);
}

async function hasRoom(bytes: number, { limits: { room }, sending, deadline }: Fetch): Promise<void> {
  if (!sending.mayHold(bytes)) sending.abort();
  if (room === undefined || sending.isAborted) return;
  let resume = () => {};
  const free = new Promise<void>((resolve) => (resume = resolve));
  if (room.grow(bytes, resume)) return;
  await Promise.race([free, sending.pause(Math.max(0, deadline - performance.now()))]);
}

function endedBy(reason: 'aborted' | 'timeout', message: string): Received {
  return { kind: 'failed', status: 0, failure: timeoutFailure('first_byte'), cause: new SendFailure(reason, message) };
}

function unreachable(): Received {
  return { kind: 'failed', status: 200, failure: unreachableContent(), cause: null };
}

class FetchingSending extends FollowedSending {
  readonly #ending = new AbortController();
  #limit: ((bytes: number) => boolean) | undefined;

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  mayHold(bytes: number): boolean {
    return this.#limit?.(bytes) !== false;
  }

  override limitBy(mayHold: (bytes: number) => boolean): void {
    this.#limit = mayHold;
    super.limitBy(mayHold);
  }

  override abort(): void {
    this.#ending.abort();
    super.abort();
  }
}
