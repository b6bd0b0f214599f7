import type { IncidentLevel, IncidentState, StatusState } from '#shared/status-page.ts';

/**
 * Calls of one model in five minutes, an hour or a day (UTC), counted by `server/slices/status-page/model-figures.ts`.
 * Slots are retained for two hours, hours for 26, days for 91 days.
 */
export interface ModelFigureRecord {
  /** `<s, h or d><start>.<model>`: sorts by time (`figure-spans.ts`). */
  id: string;
  model: string;
  /** Unix seconds. */
  start: number;
  /** Calls that the caller got a response to, after retries too. */
  answered: number;
  /** Calls that failed for the caller by no fault of the caller. */
  failed: number;
  /** `ms_<from>` → number of first tokens within the bucket (`first-byte-buckets.ts`), and the sums of their milliseconds. */
  first_byte: Record<string, number>;
  first_byte_ms: Record<string, number>;
  /** Only of days: seconds in which the model was down or slow. */
  down_seconds?: number;
  slow_seconds?: number;
}

/** State of a model now; `server/slices/status-page/judge-model.ts` decides about it once a minute. */
export interface ModelStateRecord {
  /** The model's name. */
  id: string;
  state: StatusState;
  /** Unix seconds. */
  since: number;
  /** Another state that the last judgements came to, from when on, and how often in a row. */
  pending?: StatusState;
  pending_since?: number;
  pending_times?: number;
  /** Five minutes of the last judgement with a call in its window, unix seconds; 0: never. */
  called_at: number;
  /** Until when the time of the state is in the day's figures, unix seconds. Only of models that are down or slow. */
  summed_until?: number;
  /** No enabled channel served the model when it was last judged. */
  is_unserved?: boolean;
}

/** A text in one of the languages at least; the other is empty or the same. */
export interface StatusText {
  zh: string;
  en: string;
}

/** An incident of one or more models, or maintenance. Retained for a year. */
export interface StatusIncidentRecord {
  id: number;
  revision: number;
  kind: 'automatic' | 'written' | 'maintenance';
  /** What the measures found; undefined of incidents that a person wrote. */
  level?: IncidentLevel;
  state: IncidentState;
  /** 1 while it lasts. */
  open?: 1;
  /** Unix seconds; of maintenance, the window that is planned. */
  started_at: number;
  ended_at?: number;
  planned_until?: number;
  /** Empty of automatic incidents. */
  title: StatusText;
  /** None: all models. */
  models: StatusIncidentModel[];
  /** The oldest first. */
  updates: StatusUpdate[];
}

export interface StatusIncidentModel {
  model: string;
  /** Unix seconds. */
  from: number;
  to?: number;
  /** Largest share of calls that failed, in per cent. */
  failed_percent?: number;
  /** Longest median of the first token, and the usual one, in milliseconds. */
  first_token_ms?: number;
  usual_ms?: number;
}

export interface StatusUpdate {
  id: number;
  /** Unix seconds. */
  at: number;
  state: IncidentState;
  text: StatusText;
}
