import { AppError } from '#shared/errors.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import { exchange } from '#server/exchange/exchange.ts';
import { refusedReason } from '#server/exchange/upstream-error.ts';
import { prepareChannel } from '#server/exchange/prepared-channel.ts';
import { modelListQuestions, readModelList } from '#server/exchange/read-model-list.ts';
import type { ChannelTest } from './test-channel.ts';
import { checkStoredKey } from './check-stored-key.ts';
import { receiveWhole } from './receive-whole.ts';

const limits = { responseMs: 20_000, maxBytes: 8 * 1024 * 1024 };

/**
 * The names of the models that a channel's provider says it has. Redirects are not followed: the key stays with its origin.
 * @throws {AppError} `channel_models_unlisted`, or `channel_models_failed` with the reason
 */
export async function fetchModels({ context }: Pick<ChannelTest, 'context'>, record: ChannelRecord): Promise<string[]> {
  const channel = prepareChannel(record, context.secrets, { siteUrl: context.settings.get('ServerAddress'), settings: context.settings });
  if (channel.provider === null) throw new AppError('channel_type_unsupported', { type: record.type });
  const questions = modelListQuestions(channel, { now: context.now(), sender: context.sender });
  if (questions === null) throw new AppError('channel_models_unlisted');
  checkStoredKey(channel);
  if (channel.problem !== null) throw new AppError('channel_models_failed', { detail: channel.problem });
  const names = new Set<string>();
  for (const { list, request } of questions) {
    const body = await receiveWhole(exchange(context, channel, await request, limits), {
      channel,
      limits,
      code: 'channel_models_failed',
      refusal: refusedReason,
    });
    const found = readModelList(body.toString('utf8'), list);
    if (found === null) throw new AppError('channel_models_failed', { detail: { code: 'invalid_upstream_response' } });
    for (const name of found) names.add(name);
  }
  return [...names];
}
