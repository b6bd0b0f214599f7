// Sees work that lasts longer than a request, while metrics are on: tasks, batches, fine-tuning, realtime sessions.

export type WorkName = 'drawing' | 'music' | 'video' | 'batch' | 'tuning' | 'realtime';

export type WorkOutcome = 'finished' | 'failed' | 'cancelled' | 'expired';

/** Its methods never throw. `model`: the caller's name of it. */
export interface WorkObserver {
  started(kind: WorkName, model: string): void;
  ended(kind: WorkName, model: string, outcome: WorkOutcome): void;
  /** A realtime session of this process began. Returns the function that notes its end, once. */
  sessionOpened(model: string): (outcome: WorkOutcome) => void;
}
