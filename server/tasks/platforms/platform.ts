// What a kind of task is: how its upstream is asked what became of it, and how that is read.
import type { TaskRecord } from '#server/db/records/task.ts';
import type { UpstreamQuestion } from '#server/tasks/request-upstream.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import type { Provider } from '#server/providers/spec.ts';

/** What an upstream may say of a task, brought to what is stored. */
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

/** Of a question about several. */
export function idsOf(tasks: readonly TaskRecord[]): string[] {
  return [...new Set(tasks.map(({ upstream_id: id = '' }) => id))];
}

export interface TaskPlatform {
  name: TaskRecord['platform'];
  /** Milliseconds after which a task that is not done has failed. */
  timeout: number;
  /** Tasks that one question is about at most. */
  requestedAtOnce: number;
  /** Providers that work on such tasks. */
  serves(provider: Provider): boolean;
  /** The question what became of these. Null: that channel cannot be asked about them any more. */
  question(channel: PreparedChannel, tasks: readonly TaskRecord[]): Omit<UpstreamQuestion, 'milliseconds'> | null;
  /** Null: that is no answer to it. What is no task in it is left out. */
  readAnswer(answer: unknown, channel: PreparedChannel, tasks: readonly TaskRecord[]): TaskReport[] | null;
  /** The row of the log that tells of a refund, as old clients show it. `name`: of the task, as its caller knows it. */
  refundText(name: string, amount: string): string;
}
