// What somebody asks for by a task, and what an upstream says to it.
import type { TaskRecord } from '#server/db/records/task.ts';
import type { ReportedFields, TaskPlatform } from '#server/tasks/platforms/platform.ts';
import type { PreparedChannel } from '#server/upstream/prepared-channel.ts';

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
  state: string;
  /** `id`: of the task, for the address that the upstream calls back. */
  request(channel: PreparedChannel, id: number): { path: string; body: object };
  /** Null: that is nothing that can be understood. */
  read(answer: unknown): Verdict | null;
}

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
