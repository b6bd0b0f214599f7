// Everything before a channel is asked: who calls, what, may he, can he pay. Whatever is wrong is answered at once, and
// nothing has been spent.
import { AppError } from '#shared/errors.ts';
import type { Language } from '#shared/errors.ts';
import { ChannelStatus } from '#shared/channels.ts';
import { quotaText } from '#shared/quota.ts';
import type { Connection } from '#server/http/connection.ts';
import { toAppError } from '#server/http/failure.ts';
import { languageOf } from '#server/http/language.ts';
import { newRequestId } from '#server/http/request-id.ts';
import type { Refusal } from '#server/money/lease-account.ts';
import type { Reservation } from '#server/money/settlement.ts';
import { choiceCountOf, maxTokensOf, modelOf } from '#server/relay/endpoints.ts';
import type { RelayBody, RelayEndpoint } from '#server/relay/endpoints.ts';
import { readRelayBody } from '#server/relay/read-relay-body.ts';
import { errorAnswer, ownError } from '#server/relay/relay-failure.ts';
import type { RunningCall } from '#server/relay/running-call.ts';
import type { RelayServices } from '#server/relay/services.ts';
import type { Admission } from '#server/relay/token-gate.ts';
import { offersModel } from '#server/upstream/channel-index.ts';
import { estimatePromptTokens } from '#server/upstream/token-estimate.ts';

/** The call, its money reserved; or the answer that refuses it. */
export async function openCall(
  services: RelayServices,
  endpoint: RelayEndpoint,
  request: Request,
  connection: Connection | null,
): Promise<{ call: RunningCall } | Response> {
  const { context, gate } = services;
  const startedAt = performance.now();
  const requestId = newRequestId(context);
  const language = languageOf(request.headers.get('accept-language'));
  try {
    const admitted = gate.admit(request.headers);
    const admission = admitted instanceof Promise ? await admitted : admitted;
    gate.checkUse(admission, services.addressOf(request, connection));
    const rawText = await readRelayBody(request, connection, context.env.MAX_REQUEST_BODY_MB * 1_000_000);
    const body = parseBody(rawText);
    const model = modelOf(body);
    endpoint.check(body);
    gate.checkModel(admission, model);
    checkChannels(services, admission, model);
    const rate = services.rates.enter(admission.user.id);
    const pass = rate === null ? null : await rate;
    const quoted = services.quotes.priceOf(model, admission.group, admission.user);
    const promptEstimate = estimatePromptTokens(body, endpoint.capability, model);
    const completionLimit = endpoint.capability === 'chat' ? maxTokensOf(body) * choiceCountOf(body) : 1;
    const amount = services.quotes.reserveFor(quoted, promptEstimate, completionLimit);
    const reservation = await reserve(services, admission, amount);
    const call: RunningCall = {
      services,
      endpoint,
      requestId,
      language,
      admission,
      model,
      body,
      rawText,
      isStream: endpoint.canStream && body['stream'] === true,
      version: versionOf(request.url),
      startedAt,
      createdAt: Math.floor(context.now() / 1000),
      quoted,
      promptEstimate,
      reservation,
      pass,
      attempts: [],
      hasLeft: false,
      onLeave: undefined,
    };
    if (connection !== null) watchConnection(call, connection);
    return { call };
  } catch (failure) {
    return refusal(services, failure, { language, requestId });
  }
}

function watchConnection(call: RunningCall, { res }: Connection): void {
  // The key, the rate limit and the money may have taken a while.
  if (res.closed || res.destroyed) call.hasLeft = true;
  res.once('close', () => {
    if (res.writableFinished) return;
    call.hasLeft = true;
    call.onLeave?.();
  });
}

function refusal(
  { context }: RelayServices,
  failure: unknown,
  { language, requestId }: { language: Language; requestId: string },
): Response {
  const error = toAppError(failure, context, requestId);
  return errorAnswer(error.status, ownError(error, language, requestId), requestId, error.retryAfter);
}

function parseBody(text: string): RelayBody {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw new AppError('invalid_json', {}, { cause });
  }
  if (!isObject(body))
    throw new AppError('invalid_request', { detail: { zh: '请求体必须是 JSON 对象', en: 'the body must be a JSON object' } });
  return body;
}

/** An unknown model and a known one that nobody serves right now are different answers. @throws {AppError} */
function checkChannels({ channels }: RelayServices, admission: Admission, model: string): void {
  if (admission.pinnedChannel !== undefined) {
    const pinned = channels.get(admission.pinnedChannel);
    if (pinned === undefined) throw new AppError('channel_pin_invalid');
    if (pinned.status !== ChannelStatus.enabled || pinned.problem !== null) throw new AppError('channel_disabled');
    return;
  }
  if (channels.tiers(admission.group, model).length > 0) return;
  for (const channel of channels.all()) {
    if (offersModel(channel, model)) throw new AppError('no_channel', { group: admission.group, model }, { retryAfter: 5 });
  }
  throw new AppError('model_not_found', { model }, { field: 'model' });
}

/** @throws {AppError} `insufficient_user_quota`, `pre_consume_token_quota_failed`, `key_exhausted` */
async function reserve({ context }: RelayServices, admission: Admission, amount: number): Promise<Reservation> {
  const { user, token } = admission;
  const reserving = context.ledger.reserve({ userId: user.id, token: { id: token.id, isLimited: !token.unlimited_quota }, amount });
  const result = reserving instanceof Promise ? await reserving : reserving;
  if ('reservation' in result) return result.reservation;
  throw refusedMoney(context, result.refusal);
}

function refusedMoney({ settings }: RelayServices['context'], { account, balance, need }: Refusal): AppError {
  const display = { inCurrency: settings.get('DisplayInCurrencyEnabled'), quotaPerUnit: settings.get('QuotaPerUnit') };
  const details = { remain: quotaText(balance, display), need: quotaText(need, display) };
  if (account.kind === 'user') return new AppError('insufficient_user_quota', details);
  return balance <= 0 ? new AppError('key_exhausted') : new AppError('pre_consume_token_quota_failed', details);
}

function versionOf(url: string): string | undefined {
  const query = url.indexOf('?');
  return query < 0 ? undefined : (new URLSearchParams(url.slice(query)).get('api-version') ?? undefined);
}

function isObject(value: unknown): value is RelayBody {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
