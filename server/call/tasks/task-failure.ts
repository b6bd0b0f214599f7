// Reason why no channel accepted a task, for formats with codes of their own.
import { AppError } from '#shared/errors.ts';
import { refusesChannel } from '#server/exchange/failure-consequences.ts';
import type { UpstreamFailure } from '#server/exchange/upstream-error.ts';

export class TaskFailure extends Error {
  readonly error: AppError;
  /** Reason for the owner of the task. */
  readonly reason: string;
  /** Upstream's status after the channel's mapping; 0 if there was no response. */
  readonly status: number;
  /** Failure that the upstream reported; undefined if none. */
  readonly reported: UpstreamFailure | undefined;

  constructor(error: AppError, reason: string, status = 0, reported?: UpstreamFailure) {
    super(reason);
    this.name = 'TaskFailure';
    this.error = error;
    this.reason = reason;
    this.status = status;
    this.reported = reported;
  }

  /** A failure of the channel's account is reported in the gateway's words. */
  static ofUpstream(failure: UpstreamFailure, keywords: readonly string[]): TaskFailure {
    if (refusesChannel(failure, keywords)) return new TaskFailure(new AppError('channel_refused'), 'channel_refused', 0, failure);
    if (failure.status === 429) {
      const again = failure.retryAfter === undefined ? {} : { retryAfter: failure.retryAfter };
      return new TaskFailure(new AppError('upstream_saturated', {}, again), 'upstream_saturated', 429, failure);
    }
    if (failure.errorCode !== null && failure.errorCode !== 'bad_response_status_code')
      return new TaskFailure(new AppError(failure.errorCode), failure.errorCode, 0, failure);
    const error = new AppError('bad_response_status_code', { status: failure.upstreamStatus });
    return new TaskFailure(error, failure.message, failure.status, failure);
  }
}
