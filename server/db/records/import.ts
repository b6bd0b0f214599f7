// Records of imports from other gateways (`server/slices/imports/`).

/** An installation that was imported from. */
export interface ImportSourceRecord {
  /** Program and a hash that identifies the installation. */
  id: string;
  /** Kinds whose rows have the ids of the source. */
  kept_ids: string[];
  /** Ids drawn for the page of rows that is being written: after a crash it is written again under them. */
  pending: { kind: string; ids: [old: string, id: number][] } | null;
  /** Positions of the first and last row of the log that were imported. */
  log_first?: string;
  log_last?: string;
  /** While rows before `log_first` are added: the first of them, and the one up to which that has come. */
  log_older_first?: string;
  log_older?: string;
  /** Rows of the log between these positions that were imported, those that were left out, and charges in quota. */
  log_count: number;
  log_left: number;
  log_quota: number;
}

/** A source row and the record made of it. */
export interface ImportRowRecord {
  /** `<source>:<kind>:<id in the source>`. */
  id: string;
  new_id: number;
  /** Quota at the import: balance of an account, worth of an unused code. */
  amount: number;
  /** Quota used before. */
  used: number;
}

/** One import, or its dry run. */
export interface ImportRunRecord {
  id: number;
  /** Source as it is displayed; no secret. */
  label: string;
  source: string;
  state: 'planning' | 'planned' | 'running' | 'paused' | 'done' | 'failed';
  /** User who started it; 0 for the command line. */
  by: number;
  /** Milliseconds. */
  created_at: number;
  updated_at: number;
  started_at: number;
  ended_at: number;
  /** Reason why it failed. */
  error: string;
  /** Settings, result and proof as JSON texts of `shared/imports.ts`; empty if there is none yet. */
  options: string;
  report: string;
  proof: string;
  progress: string;
}
