// A task as its caller requests it, and the upstream's verdict.
import type { CallUnits } from '#shared/call-units.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import type { ReportedFields, TaskPlatform } from '#server/tasks/platforms/platform.ts';
import type { UpstreamQuestion } from '#server/tasks/request-upstream.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';

export interface Submission {
  platform: TaskPlatform;
  action: string;
  /** Selects channels and price. */
  model: string;
  /** Free whatever the price is: it only opens a dialog whose next step is charged. */
  isFree: boolean;
  /** The task that this one continues; only its channel knows it. */
  origin: TaskRecord | null;
  prompt: string;
  /** Further texts of the request that are checked for blocked words. */
  texts?: readonly string[];
  state: string;
  /** Restricts the platform's channels; all if undefined. */
  isFor?(channel: PreparedChannel): boolean;
  /** Priced units; the call if undefined. */
  units?: CallUnits;
  /** Further fields of its record, stored when it is accepted. */
  record?: Pick<TaskRecord, 'public_id' | 'properties'>;
  /** `id`: the task's, for the callback URL. */
  request(channel: PreparedChannel, id: number): TaskRequest | Promise<TaskRequest>;
  /** Returns null for an invalid response. */
  read(answer: unknown, channel: PreparedChannel): Verdict | null;
  /** Response to the caller once it is accepted; the upstream's if undefined. */
  answer?(task: TaskRecord): object;
  /** Called after the last attempt. */
  release?(): void;
}

/** `body` is serialized as JSON. */
export type TaskRequest = { path: string; body: object } | { question: Omit<UpstreamQuestion, 'milliseconds'> };

export type Verdict =
  | {
      kind: 'accepted';
      code: number;
      /** Undefined if the work is done already and has no id. */
      upstreamId: string | undefined;
      /** If the task is done already. */
      done?: ReportedFields;
      /** Response to the caller. */
      body: object;
    }
  | {
      kind: 'refused';
      code: number;
      reason: string;
      /** Another channel may accept it. */
      isElsewhere: boolean;
      /** Reason to disable the channel. */
      disables?: string;
      status: number;
      body: object;
    };
