// What a kind of task is: how its upstream is asked what became of it, and how that is read.
import type { TaskRecord } from '#server/db/records/task.ts';

/** What an upstream may say of a task, brought to what is stored. */
export type ReportedFields = Partial<
  Pick<
    TaskRecord,
    | 'status'
    | 'progress'
    | 'fail_reason'
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

export interface TaskPlatform {
  name: TaskRecord['platform'];
  /** Milliseconds after which a task that is not done has failed. */
  timeout: number;
  /** The question what became of these. */
  question(ids: readonly string[]): { path: string; body: object };
  /** Null: that is no answer to it. What is no task in it is left out. */
  readAnswer(answer: unknown): TaskReport[] | null;
  /** The row of the log that tells of a refund, as old clients show it. */
  refundText(upstreamId: string, amount: string): string;
}
