// What is left on a channel's account, as its provider says.
import { AppError, reasonOf } from '#shared/errors.ts';
import { saidReason, storedReason } from '#shared/failure-reasons.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import { authorizedGet } from '#server/exchange/authorized-get.ts';
import { disableChannel } from '#server/exchange/auto-disable.ts';
import { type Balance, BalanceProblem, type BalanceSource } from '#server/exchange/balance-sources.ts';
import { exchange } from '#server/exchange/exchange.ts';
import { maskSecrets } from '#server/exchange/mask-secrets.ts';
import { prepareChannel, type PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { receiveWhole } from './receive-whole.ts';
import type { ChannelTest } from './test-channel.ts';

const limits = { responseMs: 20_000, maxBytes: 1024 * 1024 };

export type BalanceUpdate = Pick<ChannelTest, 'context'>;

export interface BalanceOutcome {
  /** USD. */
  balance: number;
  isDisabled: boolean;
}

/**
 * Requests the balance, stores it, and disables a channel without any if the setting says so.
 * @throws {AppError} `channel_balance_unsupported`, or `channel_balance_failed` with the reason
 */
export async function updateBalance(update: BalanceUpdate, record: ChannelRecord): Promise<BalanceOutcome> {
  const { context } = update;
  const channel = prepareChannel(record, context.secrets, { siteUrl: context.settings.get('ServerAddress'), settings: context.settings });
  if (channel.provider === null) throw new AppError('channel_type_unsupported', { type: record.type });
  const source = channel.provider.balance;
  if (source === undefined) throw new AppError('channel_balance_unsupported');
  let balance: number;
  try {
    if (channel.problem !== null) throw new AppError('channel_balance_failed', { detail: channel.problem });
    balance = inDollars(await ask(update, channel, source), context.settings.get('Price'));
  } catch (failure) {
    if (!(failure instanceof AppError)) throw failure;
    const reason = storedReason(reasonOf(failure));
    await keep(update, record, { balance_error: reason.code, balance_reason: reason });
    throw failure;
  }
  const isRise = record.balance_updated_time === 0 || balance > record.balance;
  await keep(update, record, {
    balance,
    balance_updated_time: Math.floor(context.now() / 1000),
    balance_error: '',
    balance_reason: null,
    ...(isRise ? { balance_full: balance } : {}),
  });
  const isUsedUp = balance <= 0 && context.settings.get('AutomaticDisableChannelEnabled');
  return { balance, isDisabled: isUsedUp && (await disableChannel(context, record.id, { code: 'balance_used_up' })) };
}

/** Stores the balance without announcing it, as results of tests are. If the channel has another account by now, nothing is stored. */
async function keep(
  { context }: BalanceUpdate,
  { id, type, key_hash, base_url }: ChannelRecord,
  set: Partial<Pick<ChannelRecord, 'balance' | 'balance_updated_time' | 'balance_error' | 'balance_reason' | 'balance_full'>>,
): Promise<void> {
  await context.db.collection('channels').patch({ id, type, key_hash, base_url }, { set });
}

async function ask({ context }: BalanceUpdate, channel: PreparedChannel, source: BalanceSource): Promise<Balance> {
  const now = context.now();
  const isDefaultAddress = channel.base === channel.provider?.baseUrl;
  try {
    return await source({
      now,
      isDefaultAddress,
      base: channel.base,
      async ask(path, header) {
        const body = await receiveWhole(
          exchange(
            context,
            channel,
            await authorizedGet(channel, addressOf(channel, path), { now, sender: context.sender }, header),
            limits,
          ),
          {
            channel,
            limits,
            code: 'channel_balance_failed',
            refusal: ({ upstreamStatus }) => saidReason(`status code: ${upstreamStatus}`),
          },
        );
        const answer = parseObject(body.toString('utf8'));
        if (answer === null) throw new AppError('channel_balance_failed', { detail: { code: 'invalid_upstream_response' } });
        return answer;
      },
    });
  } catch (failure) {
    if (!(failure instanceof BalanceProblem)) throw failure;
    throw new AppError('channel_balance_failed', { detail: maskSecrets(failure.message, channel) }, { cause: failure });
  }
}

/** Only to where the channel's key goes anyway, or to another host of its provider. */
function addressOf({ base, provider }: PreparedChannel, path: string): URL {
  const origin = URL.parse(base.replaceAll('{model}', 'model'))?.origin ?? base;
  const url = URL.parse(path.replace('{base}', () => base.replaceAll('{model}', 'model')).replace('{origin}', () => origin));
  if (url === null || (url.origin !== origin && base !== provider?.baseUrl))
    throw new AppError('channel_balance_failed', { detail: { code: 'balance_address' } });
  return url;
}

/** `price`: yuan of a dollar, as for top-ups. */
function inDollars({ amount, currency }: Balance, price: number): number {
  if (currency === 'USD') return amount;
  if (price <= 0) throw new AppError('channel_balance_failed', { detail: { code: 'balance_price' } });
  return Math.round((amount / price) * 1e6) / 1e6;
}
