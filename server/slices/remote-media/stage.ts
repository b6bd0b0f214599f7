// Downloads media URLs that the provider of an attempt accepts as bytes only, and inlines them: the body of the call then has the bytes,
// which are held, counted and paid for as if the caller had sent them.
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { Media } from '#server/formats/media-addresses.ts';
import type { Route } from '#server/formats/route.ts';
import type { CallAttempt } from '#server/call/call-attempt.ts';
import { tooManyMedia } from '#server/call/remote-media/media-refusal.ts';
import { mayWantMedia, mostAddresses, type WantedMedia, wantedMedia } from '#server/call/remote-media/wanted-media.ts';
import { promptOf, reserveGrownPrompt } from '#server/call/reserve-grown-prompt.ts';
import type { RunningCall } from '#server/call/running-call.ts';
import type { CallStage, StageRun } from '#server/call/stages.ts';
import { MediaFetching } from './media-fetching.ts';

type Settings = AppContext['settings'];

export function remoteMediaStage({ settings }: Pick<AppContext, 'settings'>): CallStage {
  const run = new RemoteMedia(settings);
  return {
    name: 'remote-media',
    applies: ({ withMedia }) => withMedia !== undefined,
    open: () => run,
  };
}

/** One for all calls: few of them have media that are downloaded. */
class RemoteMedia implements StageRun {
  readonly #settings: Settings;
  /** Failed downloads of a call by URL: they are not repeated for another channel. */
  readonly #failed = new WeakMap<RunningCall, Map<string, AppError>>();

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  before(call: RunningCall, { route }: CallAttempt): null | Promise<AppError | null> {
    const { endpoint, content } = call;
    if (!mayWantMedia({ settings: this.#settings, endpoint }, route)) return null;
    if (content.isLarge) return this.#inlineLarge(call, route);
    const wanted = this.#wantedOf(call, route);
    return wanted.size === 0 ? null : this.#inline(call, wanted);
  }

  async #inlineLarge(call: RunningCall, route: Route): Promise<AppError | null> {
    const { content } = call;
    // After an earlier attempt only the bytes are in memory.
    await content.prepare();
    const wanted = await content.use(() => this.#wantedOf(call, route));
    return wanted.size === 0 ? null : this.#inline(call, wanted);
  }

  /** The body of a call whose caller has disconnected is released. */
  #wantedOf({ stop, endpoint, content }: RunningCall, route: Route): Map<string, WantedMedia> {
    if (stop.reason !== undefined) return new Map<string, WantedMedia>();
    return wantedMedia({ settings: this.#settings, endpoint, body: content.body }, route);
  }

  async #inline(call: RunningCall, wanted: ReadonlyMap<string, WantedMedia>): Promise<AppError | null> {
    if (wanted.size > mostAddresses) return tooManyMedia(mostAddresses);
    const failed = this.#failed.get(call) ?? new Map<string, AppError>();
    this.#failed.set(call, failed);
    const known = [...wanted.values()].find(({ url, isOptional }) => !isOptional && failed.has(url));
    if (known !== undefined) return failed.get(known.url) ?? null;
    const fetching = new MediaFetching(call, failed);
    call.stop.end = fetching.stop;
    try {
      const found = await fetching.all(wanted);
      if (found.size > 0) await replaceBody(call, fetching, found);
      return null;
    } catch (failure) {
      if (call.stop.reason !== undefined) return null;
      if (!(failure instanceof AppError)) throw failure;
      // The next channel would fail the same way, and everything would be downloaded again.
      if (failure.code !== 'media_not_fetched') for (const url of wanted.keys()) if (!failed.has(url)) failed.set(url, failure);
      return failure;
    } finally {
      if (call.stop.end === fetching.stop) call.stop.end = undefined;
      fetching.release();
    }
  }
}

/** A refusal changes nothing, so that another channel gets what the caller sent. @throws {AppError} of the balance, `bodies_of_caller`, `bodies_of_server` */
async function replaceBody(call: RunningCall, fetching: MediaFetching, found: ReadonlyMap<string, Media>): Promise<void> {
  const { content, endpoint } = call;
  const whole = await fetching.inTurn(() => {
    if (call.stop.reason !== undefined) return null;
    const body = endpoint.withMedia?.(content.body, ({ url }) => found.get(url) ?? null) ?? content.body;
    return { body, prompt: promptOf(call, body) };
  });
  if (whole === null) return;
  const uncovered = await reserveGrownPrompt(call, whole.prompt);
  if (uncovered !== null) throw uncovered;
  await fetching.inTurn(() => {
    // A caller that disconnects releases the body.
    if (call.stop.reason !== undefined) return;
    fetching.release();
    content.replace(whole.body);
    call.reserved.prompt = whole.prompt;
  });
}
