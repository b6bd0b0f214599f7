// Reads the seed of a drawing from the upstream; free of charge, so the number per user is limited.
import { ChannelStatus } from '#shared/channels.ts';
import { AppError } from '#shared/errors.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { enforceLimit } from '#server/http/rate-limit.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { TaskAnswer } from '#server/call/tasks/answer-tasks.ts';
import { requestUpstream } from '#server/tasks/request-upstream.ts';
import { ownDrawing, type Requested } from './read-drawings.ts';
import { channelDisabledText, DrawingRefusal } from './refusal.ts';
import { withKey } from '#server/exchange/keys/channel-keys.ts';

const seedMs = 30_000;
/** Of one user, on all processes. */
export const seedsPerMinute = 60;
/** Of one user, on this process. */
export const seedsAtOnce = 4;

/** `path`: of the question to the upstream. */
export type ReadSeed = (requested: Requested, drawing: { upstreamId: string; path: string }) => Promise<TaskAnswer>;

export function createSeedReader(services: RelayServices): ReadSeed {
  const running = new Map<number, number>();

  /** @throws {AppError} `rate_limited` */
  async function inBounds<Result>(userId: number, work: () => Promise<Result>): Promise<Result> {
    const others = running.get(userId) ?? 0;
    if (others >= seedsAtOnce) throw new AppError('rate_limited', {}, { retryAfter: 1 });
    running.set(userId, others + 1);
    try {
      await enforceLimit(services.context, { key: `image-seed:${userId}`, count: seedsPerMinute, windowSeconds: 60 });
      return await work();
    } finally {
      const left = (running.get(userId) ?? 1) - 1;
      if (left > 0) running.set(userId, left);
      else running.delete(userId);
    }
  }

  return async (requested, { upstreamId, path }) => {
    const task = await ownDrawing(services, requested, upstreamId);
    return inBounds(task.user_id, () => requestSeed(services, task, path));
  };
}

/** @throws {DrawingRefusal} */
async function requestSeed({ context }: RelayServices, task: TaskRecord, path: string): Promise<TaskAnswer> {
  const channel = withKey(context.channels.get(task.channel_id), task.channel_key_id);
  if (channel === undefined) throw new DrawingRefusal('get_channel_info_failed');
  if (channel.status !== ChannelStatus.enabled || channel.problem !== null) throw new DrawingRefusal(channelDisabledText);
  const answer = await requestUpstream(context, channel, { path, milliseconds: seedMs });
  if (answer.kind === 'failed' || !isObject(answer.value)) throw new DrawingRefusal('do_request_failed');
  const { code = 0, description = '', properties = null, result = '' } = answer.value;
  return { status: 200, body: { code, description, properties, result } };
}
