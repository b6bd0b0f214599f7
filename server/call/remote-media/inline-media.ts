// What a request names by addresses, and its provider takes as bytes, is fetched before the attempt: from then on the call has a body with
// those bytes, which is held, counted and paid for as if its caller had sent it.
import { AppError } from '#shared/errors.ts';
import { addressUse, passesAddresses } from '#server/formats/media-addresses.ts';
import type { Media } from '#server/formats/media-addresses.ts';
import { reserveGrownPrompt, promptOf } from '#server/call/reserve-grown-prompt.ts';
import { MediaFetching, mostAddresses, noteUnfetched } from '#server/call/remote-media/media-fetching.ts';
import type { Wanted } from '#server/call/remote-media/media-fetching.ts';
import { tooManyMedia } from '#server/call/remote-media/media-refusal.ts';
import type { CallAttempt } from '#server/call/call-attempt.ts';
import type { RelayBody, RelayEndpoint } from '#server/call/endpoints.ts';
import type { RunningCall } from '#server/call/running-call.ts';
import type { Settings } from '#server/settings/settings.ts';
import type { Route } from '#server/formats/route.ts';

/** Null: the call may go there. An error: it may not; nothing is changed then. @throws {DatabaseUnavailable} */
export function inlineMedia(call: RunningCall, { route }: CallAttempt): null | Promise<AppError | null> {
  const { endpoint, content } = call;
  if (!isLookedAt({ settings: call.services.context.settings, endpoint }, route)) return null;
  if (content.isLarge) return inlineLarge(call, route);
  const wanted = wantedOf(call, route);
  return wanted.size === 0 ? null : inline(call, wanted);
}

async function inlineLarge(call: RunningCall, route: Route): Promise<AppError | null> {
  const { content } = call;
  // Of an earlier attempt only the bytes were kept.
  await content.prepare();
  const wanted = await content.use(() => wantedOf(call, route));
  return wanted.size === 0 ? null : inline(call, wanted);
}

/** What is there of a call whose caller has left was let go. */
function wantedOf({ stopped, services, endpoint, content }: RunningCall, route: Route): Map<string, Wanted> {
  if (stopped !== undefined) return new Map<string, Wanted>();
  return wantedBy({ settings: services.context.settings, endpoint, body: content.body }, route);
}

interface Requested {
  settings: Pick<Settings, 'get'>;
  endpoint: RelayEndpoint;
  body: RelayBody;
}

/** Whether something would have to be fetched before the call can take that route. */
export function wantsMedia(requested: Requested, route: Route): boolean {
  return [...wantedBy(requested, route).values()].some(({ isOptional }) => !isOptional);
}

/** False: addresses go up as they are, so the body need not be searched for them. Most calls are such. */
function isLookedAt({ settings, endpoint }: Omit<Requested, 'body'>, route: Route | null): route is Route {
  const { withMedia, kind } = endpoint;
  if (route === null || withMedia === undefined) return false;
  if (route.identity !== null && settings.get('global.pass_through_request_enabled')) return false;
  return kind.addressUse !== undefined || !passesAddresses(route);
}

/** By address: one that stands there twice is fetched once. Those beyond what a call may have are not looked for. */
function wantedBy({ settings, endpoint, body }: Requested, route: Route): Map<string, Wanted> {
  const wanted = new Map<string, Wanted>();
  if (!isLookedAt({ settings, endpoint }, route)) return wanted;
  endpoint.withMedia?.(body, (address) => {
    if (wanted.size > mostAddresses) return null;
    const use = endpoint.kind.addressUse?.(route, address) ?? addressUse(route, address);
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
    fetching.release();
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
  const uncovered = await reserveGrownPrompt(call, whole.prompt);
  if (uncovered !== null) throw uncovered;
  await fetching.inTurn(() => {
    // Whoever has left has let go of the body.
    if (call.stopped !== undefined) return;
    fetching.release();
    content.replace(whole.body);
    call.reserved.prompt = whole.prompt;
  });
}
