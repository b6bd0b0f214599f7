// Limits the streams of background responses per user.
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { type DirectResponse, eventStreamHeaders, streamResponse } from '#server/http/lean-response.ts';
import { createShares } from '#server/queues/shares.ts';
import type { BackgroundResponses } from './background.ts';
import { type Followed, followEvents } from './follow-events.ts';

/** Limited, because each follower polls the database several times a second. */
const mostFollowers = { all: 1000, perOwner: 16 };

export type Follow = (followed: Followed) => DirectResponse;

/** @param running runners of background responses, one per format */
export function createFollow(context: AppContext, running: readonly BackgroundResponses[], signal: AbortSignal): Follow {
  const followers = createShares<number>();
  return (followed) => {
    const { userId, responseId } = followed;
    if (!followers.fits(userId, 1, mostFollowers))
      throw new AppError('too_many_background', { count: mostFollowers.perOwner }, { retryAfter: 5 });
    followers.add(userId, 1);
    const exists = async () => {
      const found = await Promise.all(running.map((each) => each.find({ userId }, responseId)));
      return found.some((record) => record !== null);
    };
    const body = followEvents(context, followed, { exists, signal, onEnd: () => followers.add(userId, -1) });
    return streamResponse(200, { ...eventStreamHeaders }, body);
  };
}
