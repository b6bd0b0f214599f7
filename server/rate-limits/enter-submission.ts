// Rate limits of videos, pictures and music that are submitted: each submission is a request, which runs until it is answered.
import type { LimitedCaller } from './bound-limits.ts';
import { enterModelRequests, type LimitServices } from './model-requests.ts';
import type { RateLimits } from './rate-limits.ts';

export interface SubmissionPermit {
  /** Counts the submission as a success. Never rejects. */
  succeeded(): Promise<void>;
  /** Ends it. @param wasSent whether a channel received it, so that it counts as a request */
  end(wasSent: boolean): void;
}

/** @throws {AppError} 429 @throws {DatabaseUnavailable} */
export async function enterSubmission(
  services: LimitServices & { readonly rateLimits: RateLimits },
  caller: LimitedCaller,
  model: string,
): Promise<SubmissionPermit> {
  const { rateLimits } = services;
  const counted = await enterModelRequests(services, caller.user.id);
  const limits = rateLimits.of(caller, model);
  const permit = limits === null ? null : await rateLimits.enter(limits, { requests: 1, tokens: 0, input: 0, isParallel: true });
  return {
    succeeded: async () => counted?.succeeded(),
    end: (wasSent) => permit?.end(wasSent),
  };
}
