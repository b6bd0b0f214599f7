// What somebody asks for by a task, and what an upstream says to it.
import type { CallUnits } from '#shared/call-units.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import type { ReportedFields, TaskPlatform } from '#server/tasks/platforms/platform.ts';
import type { UpstreamQuestion } from '#server/tasks/request-upstream.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';

export interface Submission {
  platform: TaskPlatform;
  action: string;
  /** Decides channels and price. */
  model: string;
  /** Costs nothing whatever the price is: it only opens what is paid for next. */
  isFree: boolean;
  /** The task that this one goes on from: only its channel knows it. */
  origin: TaskRecord | null;
  prompt: string;
  /** What else of the request may be read there; missing: nothing. */
  texts?: readonly string[];
  state: string;
  /** Of channels that work on such tasks, those that can do this one; missing: all. */
  isFor?(channel: PreparedChannel): boolean;
  /** What its price is for; missing: the call. */
  units?: CallUnits;
  /** What its record says beside what all say; its name from when it is taken. */
  record?: Pick<TaskRecord, 'public_id' | 'properties'>;
  /** `id`: of the task, for the address that the upstream calls back. */
  request(channel: PreparedChannel, id: number): TaskRequest | Promise<TaskRequest>;
  /** Null: that is nothing that can be understood. */
  read(answer: unknown, channel: PreparedChannel): Verdict | null;
  /** What the caller is answered once it is taken; missing: what the upstream said. */
  answer?(task: TaskRecord): object;
  /** Nobody will be asked any more. */
  release?(): void;
}

/** `body`: an object of JSON, or bytes that are as they have to be. */
export type TaskRequest = { path: string; body: object } | { question: Omit<UpstreamQuestion, 'milliseconds'> };

export type Verdict =
  | {
      kind: 'accepted';
      code: number;
      /** Absent where the work is done already and has no name. */
      upstreamId: string | undefined;
      /** Of a task that is done already. */
      done?: ReportedFields;
      /** What the caller is answered. */
      body: object;
    }
  | {
      kind: 'refused';
      code: number;
      reason: string;
      /** Another channel may take it. */
      isElsewhere: boolean;
      /** Why the channel is taken out of use. */
      disables?: string;
      status: number;
      body: object;
    };
