// Interface of task platforms: polling an upstream and reading its response.
import type { TaskRecord } from '#server/db/records/task.ts';
import type { UpstreamQuestion } from '#server/tasks/request-upstream.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import type { Provider } from '#server/providers/spec.ts';

/** Fields that an upstream may report, as stored. */
export type ReportedFields = Partial<
  Pick<
    TaskRecord,
    | 'status'
    | 'progress'
    | 'fail_reason'
    | 'fail_cause'
    | 'prompt'
    | 'prompt_en'
    | 'description'
    | 'start_time'
    | 'finish_time'
    | 'image_url'
    | 'buttons'
    | 'properties'
    | 'data'
  >
>;

export interface TaskReport {
  upstreamId: string;
  outcome: 'running' | 'succeeded' | 'failed';
  fields: ReportedFields;
}

/** Distinct upstream ids for a query. */
export function idsOf(tasks: readonly TaskRecord[]): string[] {
  return [...new Set(tasks.map(({ upstream_id: id = '' }) => id))];
}

export interface TaskPlatform {
  name: TaskRecord['platform'];
  /** Milliseconds after which an unfinished task fails. */
  timeout: number;
  /** Maximum tasks per query. */
  requestedAtOnce: number;
  /** Reports whether the provider supports such tasks. */
  serves(provider: Provider): boolean;
  /** Builds the polling request. Returns null if the channel can no longer be queried. */
  question(channel: PreparedChannel, tasks: readonly TaskRecord[]): Omit<UpstreamQuestion, 'milliseconds'> | null;
  /** Returns null for an invalid response. Entries that are no tasks are dropped. */
  readAnswer(answer: unknown, channel: PreparedChannel, tasks: readonly TaskRecord[]): TaskReport[] | null;
  /** Text of a refund's log row for old clients. `name`: the task's id as its caller knows it. */
  refundText(name: string, amount: string): string;
}
