// Sends a small real request through a channel, for administrators. No account is charged.
import { AppError, type Language, reasonOf } from '#shared/errors.ts';
import { type FailureReason, storedReason } from '#shared/failure-reasons.ts';
import { LogType } from '#shared/logs.ts';
import { pricedUsage } from '#shared/priced-usage.ts';
import { inputTokens, type TokenUsage } from '#shared/token-usage.ts';
import type { CallKind } from '#server/kinds/call-kind.ts';
import type { AppContext } from '#server/context.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { writeLog } from '#server/logs/write-log.ts';
import { defaultClientDialect } from '#server/formats/registry.ts';
import type { QuotedPrice } from '#server/money/quote.ts';
import { resolveRoute } from '#server/exchange/resolve-route.ts';
import { sendCall } from '#server/exchange/exchange.ts';
import { prepareChannel, type PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { providerOf } from '#server/providers/registry.ts';
import { readWhole } from '#server/exchange/read-response.ts';
import { failureReason, refusedReason, type UpstreamFailure } from '#server/exchange/upstream-error.ts';
import { checkStoredKey } from './check-stored-key.ts';
import { receiveWhole } from './receive-whole.ts';
import { testSession } from './test-session.ts';
import { takesOrders, testBody, testedModel, testKind } from './test-request.ts';

export interface ChannelTest {
  context: AppContext;
  actor: UserRecord;
  language: Language;
}

interface TestSubject {
  /** As it is stored, or as a form that is not saved yet would make it. */
  channel: ChannelRecord;
  /** Undefined: the channel's test model, else its first one. */
  model: string | undefined;
  /** Called with the result of a test that was sent. */
  keep: (result: TestResult) => Promise<void> | void;
  /** Called with the upstream's failure. */
  onFailure?: (failure: UpstreamFailure) => void;
}

/** As a channel's record has it. */
export type TestResult = Required<Pick<ChannelRecord, 'test_time' | 'response_time' | 'test_error' | 'test_reason' | 'tested_model'>>;

const limits = { responseMs: 60_000, maxBytes: 8 * 1024 * 1024 };
const plusType = 5;
const testName = '模型测试';

/**
 * Tests a channel and returns the duration in seconds. @throws {AppError} `channel_test_failed`, `channel_test_orders`, `channel_test_unsupported`,
 * `channel_test_unsupported_plus`, with `time` next to the message
 */
export async function testChannel(test: ChannelTest, { channel: record, model: requested, keep, onFailure }: TestSubject): Promise<number> {
  const { context } = test;
  const provider = providerOf(record.type);
  const tasks = provider?.tasks ?? (provider?.videos !== undefined && Object.keys(provider.formats).length === 0 ? 'video' : undefined);
  // Every task costs, and takes minutes.
  // Clients of existing servers know these texts, type by type.
  if (record.type === plusType) throw new AppError('channel_test_unsupported_plus', {}, { extra: { time: 0 } });
  if (tasks !== undefined) throw new AppError('channel_test_unsupported', { name: tasks }, { extra: { time: 0 } });
  const model = requested ?? testedModel(record);
  // A test that was not sent has no response time, so its failure is not stored.
  const { channel, price, kind } = prepare(test, record, model);
  const begin = context.now();
  const remember = async (reason: FailureReason | null): Promise<number> => {
    const result = resultOf(context, { begin, reason, model });
    await keep(result);
    return result.response_time / 1000;
  };
  let response: TestResponse;
  try {
    response = await ask({ context, channel, kind, testModel: model, onFailure });
  } catch (failure) {
    if (!(failure instanceof AppError)) throw failure;
    const seconds = await remember(reasonOf(failure));
    throw failedTest(failure, seconds);
  }
  const seconds = await remember(null);
  await writeTestLog(test, { channel, model, price, response, seconds });
  return seconds;
}

interface PreparedTest {
  channel: PreparedChannel;
  /** Null: the model has no price. Tests work without one: no account is charged. */
  price: QuotedPrice | null;
  kind: CallKind;
}

function prepare({ context, actor }: ChannelTest, record: ChannelRecord, model: string): PreparedTest {
  let channel: PreparedChannel;
  try {
    channel = usableChannel(context, record);
  } catch (failure) {
    throw failure instanceof AppError ? failedTest(failure, 0) : failure;
  }
  if (takesOrders(channel, model)) throw new AppError('channel_test_orders', { model }, { extra: { time: 0 } });
  try {
    return { channel, price: context.quotes.knownPriceOf(model, actor.group, actor), kind: testKind(channel, model) };
  } catch (failure) {
    throw failure instanceof AppError ? failedTest(failure, 0) : failure;
  }
}

function failedTest(failure: AppError, seconds: number): AppError {
  return new AppError('channel_test_failed', { detail: reasonOf(failure) }, { cause: failure, extra: { time: seconds } });
}

function usableChannel({ secrets, settings }: AppContext, record: ChannelRecord): PreparedChannel {
  const channel = prepareChannel(record, secrets, { siteUrl: settings.get('ServerAddress'), settings });
  if (channel.provider === null) throw new AppError('channel_type_unsupported', { type: record.type });
  checkStoredKey(channel);
  if (channel.problem !== null) throw new AppError('channel_test_failed', { detail: channel.problem });
  return channel;
}

interface TestResponse {
  /** Null when the upstream reports none; it is a good response all the same. */
  usage: TokenUsage | null;
  upstreamModel: string;
  isMapped: boolean;
}

async function ask({
  context,
  channel,
  kind,
  testModel,
  onFailure,
}: Pick<ChannelTest, 'context'> & {
  channel: PreparedChannel;
  kind: CallKind;
  testModel: string;
  onFailure: TestSubject['onFailure'];
}): Promise<TestResponse> {
  if (kind.isInSession === true) {
    const { responseMs } = limits;
    const { upstreamModel, isMapped } = await testSession(context, { channel, model: testModel, responseMs, onFailure });
    return { usage: null, upstreamModel, isMapped };
  }
  const body = testBody(kind, testModel, channel.modelMapping.get(testModel) ?? testModel);
  const client = defaultClientDialect;
  const call = {
    client,
    clientHeaders: {},
    kind,
    channel,
    route: resolveRoute(channel, { client, kind, model: testModel }),
    body,
    rawText: JSON.stringify(body),
    originModel: testModel,
    isStream: false,
    forceUsage: false,
    settings: context.settings,
  };
  const sent = await sendCall(context, call, { limits });
  const { route, upstreamModel } = sent.request;
  const response = await receiveWhole(sent, {
    channel,
    limits,
    takesStream: kind.framing !== undefined,
    code: 'channel_test_failed',
    refusal: refusedReason,
    onFailure,
  });
  const writer = { model: testModel, requestId: '', createdAt: 0, wantsUsage: false, promptEstimate: 0 };
  const decoded = readWhole({ client, kind, channel, route, upstreamModel, body: response, responseFields: {}, writer });
  if (decoded.kind === 'failed') {
    onFailure?.(decoded.failure);
    throw failedResponse(decoded.failure);
  }
  if (decoded.kind === 'too_deep') throw new AppError('upstream_too_deep');
  if (decoded.isEmpty) throw new AppError('invalid_upstream_response');
  return { usage: decoded.usage, upstreamModel, isMapped: route.isMapped };
}

function failedResponse(failure: UpstreamFailure): AppError {
  return new AppError('channel_test_failed', { detail: failureReason(failure) });
}

function resultOf(
  { now }: AppContext,
  { begin, reason, model }: { begin: number; reason: FailureReason | null; model: string },
): TestResult {
  const end = now();
  return {
    test_time: Math.floor(end / 1000),
    response_time: Math.max(1, Math.round(end - begin)),
    // A mark by which it is found; versions before the reason read it as words.
    test_error: reason === null ? '' : reason.code,
    test_reason: reason === null ? null : storedReason(reason),
    tested_model: model,
  };
}

/**
 * Stores the result without announcing a change: no cache needs it, and the relay's health data stay. After a successful test by hand every process
 * resets its failure counts. Scheduled tests do not: they cover one model, and may run so often that failures of others would never add up.
 */
export async function storeTestResult(
  { changes, db, now }: Pick<AppContext, 'changes' | 'db' | 'now'>,
  id: number,
  result: TestResult,
  { isByHand }: { isByHand: boolean },
): Promise<void> {
  const channels = db.collection('channels');
  if (result.test_error !== '' || !isByHand) {
    await channels.patch({ id }, { set: result });
    return;
  }
  const passed_at = now();
  await changes.announce('passed_test', `${id}:${passed_at}`);
  await channels.patch({ id }, { set: { ...result, passed_at } });
}

async function writeTestLog(
  { context, actor }: ChannelTest,
  {
    channel,
    model,
    price,
    response,
    seconds,
  }: Pick<PreparedTest, 'channel' | 'price'> & { model: string; response: TestResponse; seconds: number },
): Promise<void> {
  if (!context.settings.get('LogConsumeEnabled')) return;
  if (channel.id === 0) return writeDraftLog(context, actor, { channel, model });
  const { usage, isMapped, upstreamModel } = response;
  const byUsage = price?.price.kind === 'usage' ? price.price : null;
  await writeLog(context, {
    user_id: actor.id,
    username: actor.username,
    type: LogType.test,
    content: testName,
    token_name: testName,
    model_name: model,
    channel_id: channel.id,
    prompt_tokens: usage === null ? 0 : inputTokens(usage),
    completion_tokens: usage?.output ?? 0,
    use_time: Math.floor(seconds),
    group: actor.group,
    other: {
      // Price of the call in a group of ratio 1. The row's `quota` is 0, because no account is charged.
      test_quota: usage === null || price === null ? 0 : context.quotes.charge({ ...price, groupRatio: 1 }, pricedUsage(usage)),
      model_ratio: byUsage?.modelRatio ?? 0,
      completion_ratio: byUsage?.completionRatio ?? 0,
      model_price: price?.price.kind === 'call' ? price.price.modelPrice : -1,
      duration_ms: Math.round(seconds * 1000),
      ...(isMapped ? { is_model_mapped: true, upstream_model_name: upstreamModel } : {}),
      admin_info: { use_channel: [String(channel.id)] },
    },
  });
}

/** There is no channel yet whose call it could be: it is something that an administrator did. */
async function writeDraftLog(
  context: AppContext,
  actor: UserRecord,
  { channel, model }: { channel: PreparedChannel; model: string },
): Promise<void> {
  const name = channel.name || (channel.provider?.name ?? '');
  await writeLog(context, {
    user_id: actor.id,
    username: actor.username,
    type: LogType.management,
    content: `${testName}（渠道未保存）：${name}，${model}`,
    event: { code: 'channel_draft_tested', name, model },
  });
}
