// What a request names by addresses, and its provider takes as bytes, is fetched before the attempt: from then on the call has a body with
// those bytes, which is held, counted and paid for as if its caller had sent it.
import { AppError } from '#shared/errors.ts';
import { addressUse } from '#server/dialects/media-addresses.ts';
import type { Media, MediaAddress } from '#server/dialects/media-addresses.ts';
import { inParallel } from '#server/queues/in-parallel.ts';
import { coverPrompt } from '#server/relay/cover-prompt.ts';
import { fetchMedia } from '#server/relay/media/fetch-media.ts';
import { tooManyMedia } from '#server/relay/media/media-refusal.ts';
import type { RelayBody, RelayEndpoint } from '#server/relay/endpoints.ts';
import type { RunningCall } from '#server/relay/running-call.ts';
import type { PreparedChannel } from '#server/upstream/prepared-channel.ts';

/** Of one call. */
const mostAddresses = 32;
const atOnce = 4;

interface Wanted extends MediaAddress {
  /** The provider looks it up itself where that fails. */
  isOptional: boolean;
}

/** Null: the call may go there. An error: it may not; nothing is changed then. @throws {DatabaseUnavailable} */
export function inlineMedia(call: RunningCall, channel: PreparedChannel): null | Promise<AppError | null> {
  const { endpoint, content } = call;
  if (endpoint.withMedia === undefined) return null;
  // Of an earlier attempt only the bytes were kept.
  const preparing = content.isLarge ? content.prepare() : undefined;
  if (preparing instanceof Promise) return preparing.then(() => inlineWanted(call, channel));
  return inlineWanted(call, channel);
}

function inlineWanted(call: RunningCall, channel: PreparedChannel): null | Promise<AppError | null> {
  const { endpoint, model, content } = call;
  const wanted = wantedBy({ endpoint, model, body: content.body }, channel);
  if (wanted.size === 0) return null;
  if (wanted.size > mostAddresses) return Promise.resolve(tooManyMedia(mostAddresses));
  return inline(call, wanted);
}

interface Asked {
  endpoint: RelayEndpoint;
  model: string;
  body: RelayBody;
}

/** Whether something would have to be fetched before that channel is asked. */
export function wantsMedia(asked: Asked, channel: PreparedChannel): boolean {
  return [...wantedBy(asked, channel).values()].some(({ isOptional }) => !isOptional);
}

/** By address: one that stands there twice is fetched once. */
function wantedBy({ endpoint, model, body }: Asked, channel: PreparedChannel): Map<string, Wanted> {
  const wanted = new Map<string, Wanted>();
  const way = channel.way(endpoint.dialect, endpoint.kind.name, model);
  if (way === null) return wanted;
  endpoint.withMedia?.(body, (address) => {
    const use = endpoint.kind.addressUse?.(way, address) ?? addressUse(way, address);
    if (use !== 'address') wanted.set(address.url, { ...address, isOptional: use === 'either' });
    return null;
  });
  return wanted;
}

async function inline(call: RunningCall, wanted: ReadonlyMap<string, Wanted>): Promise<AppError | null> {
  const { services, content, endpoint, admission } = call;
  const { bodies } = services.context;
  const owner = `user:${admission.user.id}`;
  const hold = bodies.open(owner);
  const aborting = new AbortController();
  const stop = () => aborting.abort();
  call.onStop = stop;
  try {
    const found = new Map<string, Media>();
    await inParallel([...wanted.values()], atOnce, async (address) => {
      if (aborting.signal.aborted) return;
      const media = await fetchOne(call, address, { owner, signal: aborting.signal, hold });
      if (media !== null) found.set(address.url, media);
    });
    if (call.stopped !== undefined || found.size === 0) return null;
    hold.shrinkTo(0);
    const body = endpoint.withMedia?.(content.body, ({ url }) => found.get(url) ?? null) ?? content.body;
    await bodies.inTurn(owner, () => content.replace(body));
    return await coverPrompt(call);
  } catch (failure) {
    aborting.abort();
    if (call.stopped !== undefined) return null;
    if (failure instanceof AppError) return failure;
    throw failure;
  } finally {
    if (call.onStop === stop) call.onStop = undefined;
    hold.shrinkTo(0);
  }
}

interface Fetching {
  owner: string;
  signal: AbortSignal;
  hold: { grow(bytes: number): void };
}

/** Null: the provider gets the address. @throws {AppError} */
async function fetchOne(call: RunningCall, address: Wanted, fetching: Fetching): Promise<Media | null> {
  const { url, isOptional } = address;
  try {
    const known = call.unfetched?.get(url);
    if (known !== undefined) throw known;
    const { mediaType, bytes } = await fetchMedia(call.services.context, address, fetching);
    await checkWords(call, mediaType, bytes);
    return { mediaType, data: bytes.toString('base64') };
  } catch (failure) {
    if (!(failure instanceof AppError) || failure.code !== 'media_not_fetched') throw failure;
    (call.unfetched ??= new Map()).set(url, failure);
    if (isOptional) return null;
    throw failure;
  }
}

/** A text is a part of the prompt. @throws {AppError} `sensitive_words_detected` */
async function checkWords({ services, content }: RunningCall, mediaType: string, bytes: Buffer): Promise<void> {
  if (!services.words.isOn || !mediaType.startsWith('text/')) return;
  await services.words.check({ isLarge: true, use: (work) => content.use(work) }, [bytes.toString('utf8')]);
}
