// What a request names by addresses, and its provider takes as bytes, is fetched before the attempt: from then on the call has a body with
// those bytes, which is held, counted and paid for as if its caller had sent it.
import { AppError } from '#shared/errors.ts';
import { addressUse, passesAddresses } from '#server/dialects/media-addresses.ts';
import type { Media } from '#server/dialects/media-addresses.ts';
import { coverPrompt, promptOf } from '#server/relay/cover-prompt.ts';
import { MediaFetching, mostAddresses, noteUnfetched } from '#server/relay/media/media-fetching.ts';
import type { Wanted } from '#server/relay/media/media-fetching.ts';
import { tooManyMedia } from '#server/relay/media/media-refusal.ts';
import type { RelayBody, RelayEndpoint } from '#server/relay/endpoints.ts';
import type { RunningCall } from '#server/relay/running-call.ts';
import type { Settings } from '#server/settings/settings.ts';
import type { Way } from '#server/dialects/way.ts';
import type { PreparedChannel } from '#server/upstream/prepared-channel.ts';

/** Null: the call may go there. An error: it may not; nothing is changed then. @throws {DatabaseUnavailable} */
export function inlineMedia(call: RunningCall, channel: PreparedChannel): null | Promise<AppError | null> {
  const { endpoint, content } = call;
  if (wayOf({ settings: call.services.context.settings, endpoint, model: call.model }, channel) === null) return null;
  if (content.isLarge) return inlineLarge(call, channel);
  const wanted = wantedOf(call, channel);
  return wanted.size === 0 ? null : inline(call, wanted);
}

async function inlineLarge(call: RunningCall, channel: PreparedChannel): Promise<AppError | null> {
  const { content } = call;
  // Of an earlier attempt only the bytes were kept.
  await content.prepare();
  const wanted = await content.use(() => wantedOf(call, channel));
  return wanted.size === 0 ? null : inline(call, wanted);
}

/** What is there of a call whose caller has left was let go. */
function wantedOf({ stopped, services, endpoint, model, content }: RunningCall, channel: PreparedChannel): Map<string, Wanted> {
  if (stopped !== undefined) return new Map<string, Wanted>();
  return wantedBy({ settings: services.context.settings, endpoint, model, body: content.body }, channel);
}

interface Asked {
  settings: Pick<Settings, 'get'>;
  endpoint: RelayEndpoint;
  model: string;
  body: RelayBody;
}

/** Whether something would have to be fetched before that channel is asked. */
export function wantsMedia(asked: Asked, channel: PreparedChannel): boolean {
  return [...wantedBy(asked, channel).values()].some(({ isOptional }) => !isOptional);
}

/** Null: what it names goes as it is, so that nobody has to look into it. Most calls are such. */
function wayOf({ settings, endpoint, model }: Omit<Asked, 'body'>, channel: PreparedChannel): Way | null {
  const { withMedia, kind, dialect } = endpoint;
  const way = withMedia === undefined ? null : channel.way(dialect, kind.name, model);
  if (way === null || (way.identity !== null && settings.get('global.pass_through_request_enabled'))) return null;
  return kind.addressUse === undefined && passesAddresses(way) ? null : way;
}

/** By address: one that stands there twice is fetched once. Those beyond what a call may have are not looked for. */
function wantedBy({ settings, endpoint, model, body }: Asked, channel: PreparedChannel): Map<string, Wanted> {
  const wanted = new Map<string, Wanted>();
  const way = wayOf({ settings, endpoint, model }, channel);
  if (way === null) return wanted;
  endpoint.withMedia?.(body, (address) => {
    if (wanted.size > mostAddresses) return null;
    const use = endpoint.kind.addressUse?.(way, address) ?? addressUse(way, address);
    if (use !== 'address') wanted.set(address.url, { ...address, isOptional: use === 'either' });
    return null;
  });
  return wanted;
}

async function inline(call: RunningCall, wanted: ReadonlyMap<string, Wanted>): Promise<AppError | null> {
  if (wanted.size > mostAddresses) return tooManyMedia(mostAddresses);
  const known = [...wanted.values()].find(({ url, isOptional }) => !isOptional && call.unfetched?.has(url) === true);
  if (known !== undefined) return call.unfetched?.get(known.url) ?? null;
  const fetching = new MediaFetching(call);
  call.onStop = fetching.stop;
  try {
    const found = await fetching.all(wanted);
    if (found.size > 0) await goOnWith(call, fetching, found);
    return null;
  } catch (failure) {
    if (call.stopped !== undefined) return null;
    if (!(failure instanceof AppError)) throw failure;
    // The next channel would get no further, and all of it would be fetched again.
    if (failure.code !== 'media_not_fetched') for (const url of wanted.keys()) noteUnfetched(call, url, failure);
    return failure;
  } finally {
    if (call.onStop === fetching.stop) call.onStop = undefined;
    fetching.letGo();
  }
}

/** What is refused changes nothing, so that another channel gets what its caller has sent. @throws {AppError} of the balance, `bodies_of_caller`, `bodies_of_server` */
async function goOnWith(call: RunningCall, fetching: MediaFetching, found: ReadonlyMap<string, Media>): Promise<void> {
  const { content, endpoint } = call;
  const whole = await fetching.inTurn(() => {
    if (call.stopped !== undefined) return null;
    const body = endpoint.withMedia?.(content.body, ({ url }) => found.get(url) ?? null) ?? content.body;
    return { body, prompt: promptOf(call, body) };
  });
  if (whole === null) return;
  const uncovered = await coverPrompt(call, whole.prompt);
  if (uncovered !== null) throw uncovered;
  await fetching.inTurn(() => {
    // Whoever has left has let go of the body.
    if (call.stopped !== undefined) return;
    fetching.letGo();
    content.replace(whole.body);
    call.prompt = whole.prompt;
  });
}
