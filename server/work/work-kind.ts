// What a kind of prepaid work is to the engine: where its records are, and what differs between kinds.
import type { LogEvent } from '#shared/log-event.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter, FindOptions } from '#server/db/collection.ts';
import type { PrepaidWork } from '#server/db/records/prepaid-work.ts';
import type { UpstreamFailure } from '#server/exchange/upstream-error.ts';
import type { WorkName } from '#server/telemetry/work-observer.ts';
import type { Requesting } from '#server/objects/upstream-files.ts';

/** Time until another process looks at work in creation. */
export const creationMs = 15 * 60_000;
/** Time from the creation to the first look at the provider. */
export const firstPollMs = 15_000;

/** The collection of a kind. The engine names only fields that all kinds have. */
export interface WorkRecords<Work extends PrepaidWork> {
  get(id: string): Promise<Work | null>;
  find(filter: Filter<PrepaidWork>, options?: FindOptions<PrepaidWork>): Promise<Work[]>;
  patch(
    filter: Filter<PrepaidWork>,
    patch: { set?: Partial<Work> | Partial<PrepaidWork>; unset?: readonly 'open_user_id'[] },
  ): Promise<Work | null>;
  remove(filter: Filter<PrepaidWork>): Promise<number>;
}

/** State that a provider reports. */
export interface ReportedWork<Work extends PrepaidWork> {
  id: string;
  set: Partial<Work>;
}

/** `isUnknown`: the response does not show whether the request was executed. */
export type Requested<Reported> = { reported: Reported } | { failure: UpstreamFailure; isUnknown: boolean };

/** What became of an input: `left` and `silent`: it may still be there, `nothing`: there was none. */
export type RemovedInput = 'gone' | 'left' | 'silent' | 'nothing';

export interface SettledWork {
  /** Refunded, or if negative, charged in addition. */
  due: number;
  /** Id of the charge's log row; undefined if it is not shown. */
  order?: number;
}

export interface WorkKind<Work extends PrepaidWork> {
  /** In references of ledger entries, in the process's log and in metrics: `batch`. */
  readonly name: Extract<WorkName, 'batch' | 'tuning'>;
  /** Kind of the ledger entries that return what was not used. */
  readonly refundKind: string;
  /** Time for which ended work is listed. */
  readonly retentionMs: number;
  records(db: AppContext['db']): WorkRecords<Work>;
  /** Fields of work that failed before it began. `now`: Unix seconds */
  failed(now: number): Partial<Work>;
  /** Fields that describe a cost, as of a cost of 0. */
  readonly free?: Partial<Work>;
  /** Fields set with the end of the settlement. `now`: Unix seconds */
  ended?(now: number): Partial<Work>;
  /** Unix seconds of its end. */
  endedAt(work: Work): number;
  /** Replaces what rate limits have counted of it by what it used, once. May be repeated until its end is stored. */
  settleLimits?(context: AppContext, work: Work): Promise<void>;
  /** Stores the results for the owner, under ids derived from the work. */
  deliver(context: AppContext, work: Work): Promise<void>;
  /** Text and event of the log row about its end. */
  describeEnd(context: AppContext, work: Work, settled: SettledWork): { content: string; event: LogEvent };
  /** Deletes the input at the provider, after which the work can no longer begin. */
  removeInput(context: Requesting, work: Work): Promise<RemovedInput>;
  /** Milliseconds until ended work is looked at for more than its removal; undefined if it is not. */
  looksOnAfter?(work: Work): number | undefined;
}
