// Creates a cache: from its contents to the provider, top to bottom. Decision 148 lists the effect of a crash between
// any two writes.
import { ownerFields, ownerIn } from '#server/tokens/object-owner.ts';
import { AppError } from '#shared/errors.ts';
import { ChannelStatus } from '#shared/channels.ts';
import { pricedUsage } from '#shared/priced-usage.ts';
import { noTokens } from '#shared/token-usage.ts';
import { checkWords } from '#server/objects/check-words.ts';
import type { ContextCacheRecord } from '#server/db/records/context-cache.ts';
import { clientDialects } from '#server/formats/registry.ts';
import { badField } from '#server/framing/strict-fields.ts';
import type { QuotedPrice } from '#server/money/quote.ts';
import { reserveQuota } from '#server/call/admission/reserve-call.ts';
import { keyBehind } from '#server/exchange/key-behind.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { StoredCaller } from '#server/objects/serve-caller.ts';
import { offersModel } from '#server/exchange/channel-index.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { countPrompt } from '#server/exchange/token-estimate.ts';
import { cacheTerms, storingCost } from './cache-price.ts';
import { checkRoom } from './cache-store.ts';
import { payPending } from './pay-cache.ts';
import type { CacheRequest } from './read-cache-request.ts';
import { type CachePlace, CacheRefusal, createThere, placeOf } from './upstream-caches.ts';

const idLength = 24;
/** Time until another process looks at a cache in creation. */
const creationMs = 15 * 60_000;
const nowhere = { zh: '的渠道不支持 cachedContents', en: 'is served by no channel that keeps cachedContents' };

/** @throws {AppError} for the key, the model, the words, the limits, the balance and the provider */
export async function createCache(services: RelayServices, caller: StoredCaller, requested: CacheRequest): Promise<ContextCacheRecord> {
  const { context, gate } = services;
  const { admission, userId, requestId } = caller;
  const { model, contents } = requested;
  const { group, user, token } = admission;
  gate.checkModel(admission, model);
  const { channel, upstreamModel, place } = await channelFor(services, caller, model);
  const terms = cacheTerms(context, { model, group, userGroup: user.group });
  const prompt = clientDialects.gemini.calls.chat.promptContent(contents);
  await checkWords(services, userId, prompt);
  const counted = await countPrompt(prompt, model, { owner: userId, isEstimated: false });
  const most = counted + Math.max(0, prompt.mediaMost - prompt.media);
  const quoted = context.quotes.priceOf(model, group, user);
  const created = Math.floor(context.now() / 1000);
  const until = requested.until(created);
  const costOf = (tokens: number) => readingCost(services, quoted, tokens) + storingCost(terms, tokens, until - created);
  const reservation = await reserveQuota(services, admission, { model, amount: costOf(most), least: costOf(most) });
  try {
    const record: ContextCacheRecord = {
      ...terms,
      pending_spans: JSON.stringify([{ ...terms, group, from: created, until }]),
      first_request_id: requestId,
      id: context.randomText(idLength).toLowerCase(),
      ...ownerFields(ownerIn(admission)),
      username: user.username,
      token_id: token.id,
      token_name: admission.tokenName,
      group,
      channel_id: channel.id,
      key: keyBehind(context.secrets, channel),
      upstream_id: '',
      model,
      upstream_model: upstreamModel,
      display_name: requested.displayName,
      tokens: most,
      created_at: created,
      updated_at: created,
      expires_at: until,
      state: 'creating',
      left_at: 0,
      paid: 0,
      token_paid: 0,
      request_id: requestId,
      pending_paid: 0,
      pending_until: 0,
      process: context.ledger.processId,
      poll_at: context.now() + creationMs,
    };
    const paying = await makeThere(services, { record, channel, place, contents });
    const cache = await payPending(services, paying, { reservation, quota: costOf(paying.tokens) });
    return cache;
  } finally {
    // Has no effect after settlement.
    context.ledger.release(reservation);
  }
}

/** Cost of reading the contents once, as a prompt. */
function readingCost({ context }: RelayServices, quoted: QuotedPrice, tokens: number): number {
  return context.quotes.charge(quoted, pricedUsage({ ...noTokens, input: tokens }));
}

interface Making {
  record: ContextCacheRecord;
  channel: PreparedChannel;
  place: CachePlace;
  contents: CacheRequest['contents'];
}

async function makeThere({ context }: RelayServices, { record, channel, place, contents }: Making): Promise<ContextCacheRecord> {
  const caches = context.db.collection('context_caches');
  await caches.insert(record);
  const drop = () => caches.remove({ id: record.id, state: 'creating' });
  const seconds = record.expires_at - record.created_at;
  const reported = await checkRoom(context, record.user_id)
    .then(() => createThere(context, channel, { place, record, seconds, contents }))
    .catch(async (failure: unknown) => {
      const isOfThere = failure instanceof CacheRefusal;
      // If the provider has not refused, the job looks for the cache.
      if (!isOfThere || !failure.isUnknown) await drop();
      throw isOfThere ? failure.error : failure;
    });
  const tokens = reported.tokens === 0 ? record.tokens : reported.tokens;
  const set = {
    upstream_id: reported.name,
    tokens,
    state: 'paying' as const,
    pending_paid: storingCost(record, tokens, seconds),
    pending_until: record.expires_at,
  };
  const paying = await caches.patch({ id: record.id, state: 'creating' }, { set });
  if (paying !== null) return paying;
  // The creation timed out and was given up meanwhile.
  const late = { ...record, upstream_id: reported.name, state: 'leaving' as const, left_at: record.created_at };
  await context.db.write([{ insert: late, into: 'context_caches', ignoreConflict: true }]);
  throw new AppError('upstream_timeout');
}

/** @throws {AppError} `invalid_request`, `no_channel`, `model_not_found` */
async function channelFor(services: RelayServices, { admission }: StoredCaller, model: string) {
  const { channels } = services;
  const { group, pinnedChannel } = admission;
  const pinned = pinnedChannel === undefined ? undefined : channels.get(pinnedChannel);
  const all =
    pinnedChannel === undefined ? channels.tiers(group, model).flatMap((tier) => tier.channels) : pinned === undefined ? [] : [pinned];
  for (const channel of all) {
    if (channel.status !== ChannelStatus.enabled) continue;
    const route = channel.route(clientDialects.gemini, 'chat', model);
    const place = route === null || route.identity === null ? null : placeOf(channel, { model, upstreamModel: route.upstreamModel });
    if (route !== null && place !== null) return { channel, upstreamModel: route.nameThere, place };
  }
  if (all.length > 0) throw badField('model', nowhere);
  for (const channel of channels.all()) if (offersModel(channel, model)) throw new AppError('no_channel', { group, model });
  throw new AppError('model_not_found', { model }, { field: 'model' });
}
