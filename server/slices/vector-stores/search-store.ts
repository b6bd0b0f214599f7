// Searches a store without a model. The vendor charges only for searches by models; the site may charge for each
// (`VectorSearchPrice`).
import { AppError } from '#shared/errors.ts';
import { type LogOther, LogType } from '#shared/logs.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { QuotedPrice } from '#server/money/quote.ts';
import type { ChargeRow } from '#server/money/settlement/settled-call.ts';
import { reserveQuota } from '#server/call/admission/reserve-call.ts';
import { estimateTextTokens } from '#server/exchange/token-estimate.ts';
import type { RelayServices } from '#server/call/services.ts';
import { refusedBy } from './create-store.ts';
import { namesIn, type ProviderFileIds, providerFileIds } from './caller-files.ts';
import { readSearch } from './search-fields.ts';
import { termsOf } from './store-price.ts';
import { openStore, type StoreCaller } from './open-store.ts';
import { requestStores, storePath } from './upstream-stores.ts';

/** Maximum bytes of a response, fifty chunks of 4,096 tokens and their metadata; and usual bytes per chunk. */
const mostAnswer = 4 * 1024 * 1024;
const usualPiece = 32 * 1024;
/** Model name in the log. */
const loggedModel = 'vector-store-search';
const units = { kind: 'search', count: 1 } as const;

/** @throws {AppError} for the fields, the blocked words, the balance and the provider */
export async function searchStore(services: RelayServices, caller: StoreCaller, body: unknown): Promise<object> {
  const { context, stages } = services;
  const { store, admission } = caller;
  const channel = openStore(context, store);
  const requested = readSearch(body);
  const { guard } = stages;
  if (guard.isOn) await guard.check(requested.texts, (work) => context.bodies.inTurn(`user:${admission.user.id}`, work));
  caller.makeRoom(requested.results * usualPiece);
  const { group_ratio: groupRatio, quota_per_unit: quotaPerUnit } = termsOf(context, {
    group: admission.group,
    userGroup: admission.user.group,
  });
  const modelPrice = context.settings.get('VectorSearchPrice') / 1000;
  const quoted: QuotedPrice = { price: { kind: 'call', modelPrice }, groupRatio, quotaPerUnit };
  // Estimated for the log; the price is per search.
  const tokens = Math.max(1, estimateTextTokens(requested.texts.join('\n')));
  const cost = context.quotes.charge(quoted, { promptTokens: tokens, completionTokens: 0, units });
  // A free search needs no balance: the store's day is paid.
  const reservation = cost === 0 ? null : await reserveQuota(services, admission, { model: loggedModel, amount: cost, least: cost });
  try {
    const begin = performance.now();
    const question = { method: 'POST' as const, path: storePath(store, '/search'), body: requested.body, mostBytes: mostAnswer };
    const answer = await requestStores(context, channel, question);
    if ('failure' in answer)
      throw answer.failure.upstreamStatus === 404 ? new AppError('vector_store_not_found', { id: store.id }) : refusedBy(context, answer);
    const { data } = answer.object;
    const list = Array.isArray(data) ? data.filter(isObject) : [];
    const names = await providerFileIds(context, store, namesIn(list, 'file_id'));
    const reported = { ...answer.object, data: list.map((item) => namedResult(item, names)) };
    if (reservation === null) return reported;
    await context.ledger.settle(reservation, searchRow(services, caller, { quoted, cost, tokens, ms: performance.now() - begin }));
    context.lowBalance.spent(store.user_id);
    services.use.add(channel.id, cost);
    return reported;
  } finally {
    // Has no effect after settlement.
    if (reservation !== null) context.ledger.release(reservation);
  }
}

function namedResult(item: Readonly<Record<string, unknown>>, { idOf, filenameOf }: ProviderFileIds): object {
  const { file_id: id, filename } = item;
  return {
    ...item,
    ...(typeof id === 'string' ? { file_id: idOf(id) } : {}),
    ...(typeof filename === 'string' ? { filename: filenameOf(filename) } : {}),
  };
}

function searchRow(
  { context }: RelayServices,
  { admission, store, requestId }: StoreCaller,
  { quoted, cost, tokens, ms }: { quoted: QuotedPrice; cost: number; tokens: number; ms: number },
): ChargeRow {
  const other: LogOther = {
    model_ratio: 0,
    model_price: quoted.price.kind === 'call' ? quoted.price.modelPrice : 0,
    group_ratio: quoted.groupRatio,
    quota_per_unit: quoted.quotaPerUnit,
    units,
    prompt_source: 'estimated',
    duration_ms: Math.round(ms),
    admin_info: { use_channel: [String(store.channel_id)] },
  };
  return {
    user_id: store.user_id,
    created_at: Math.floor(context.now() / 1000),
    type: LogType.consumption,
    username: admission.user.username,
    token_name: admission.tokenName,
    model_name: loggedModel,
    quota: cost,
    prompt_tokens: tokens,
    completion_tokens: 0,
    use_time: Math.round(ms / 1000),
    is_stream: false,
    channel_id: store.channel_id,
    token_id: admission.token.id,
    group: admission.group,
    other,
    request_id: requestId,
    ...(context.settings.get('LogConsumeEnabled') ? {} : { hidden: true }),
  };
}
