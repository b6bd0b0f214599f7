import { AppError, errorText } from '#shared/errors.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import { prepareChannel } from '#server/upstream/prepared-channel.ts';
import { modelListRequest, readModelList } from '#server/upstream/read-model-list.ts';
import { parseUpstreamError } from '#server/upstream/upstream-error.ts';
import type { ChannelTest } from './test-channel.ts';
import { sendWhole } from './send-whole.ts';

const limits = { answerMs: 20_000, maxBytes: 8 * 1024 * 1024 };

/**
 * The names of the models that a channel's provider says it has. Redirects are not followed: the key stays with its origin.
 * @throws {AppError} `channel_models_unlisted`, or `channel_models_failed` with the reason
 */
export async function fetchModels(
  { context, language }: Pick<ChannelTest, 'context' | 'language'>,
  record: ChannelRecord,
): Promise<string[]> {
  const channel = prepareChannel(record, context.secrets, { siteUrl: context.settings.get('ServerAddress') });
  if (channel.provider === null) throw new AppError('channel_type_unsupported', { type: record.type });
  const request = modelListRequest(channel, context.now());
  if (request === null) throw new AppError('channel_models_unlisted');
  if (channel.problem !== null) throw new AppError('channel_models_failed', { detail: channel.problem });
  const answer = await sendWhole(context.sender, await request, { channel, language, limits, code: 'channel_models_failed' });
  const text = answer.body.toString('utf8');
  if (answer.status !== 200) {
    const failure = parseUpstreamError({ status: answer.status, text, headers: answer.headers, channel, now: context.now() });
    throw new AppError('channel_models_failed', { detail: `status code: ${failure.upstreamStatus}, ${failure.message}` });
  }
  const names = readModelList(text, channel);
  if (names === null) throw new AppError('channel_models_failed', { detail: errorText('invalid_upstream_response', language) });
  return names;
}
