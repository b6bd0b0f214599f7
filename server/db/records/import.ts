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

/** One import and its dry run. Times in milliseconds since the epoch; 0 if there is none. */
export interface ImportRunRecord {
  id: number;
  state: 'draft' | 'planning' | 'planned' | 'running' | 'paused' | 'done' | 'failed';
  /** Set while a process works on it or is to begin, by a unique index: there is one at a time. */
  running?: 1;
  /** Mark of the process that works on it, which prolongs the time; 0: any may begin. */
  worker: string;
  alive_until: number;
  /** Processes in a row that ended without having been stopped, with the one that works on it. */
  crashes: number;
  /** User who began it, by id and name; 0 for the command line. */
  by: number;
  by_name: string;
  /** User who started the dry run or the import, or resumed it: it pauses when they are no super administrator any more. Undefined: as `by`. */
  started_by?: number;
  source_kind: 'file' | 'address' | 'config' | 'command';
  /** Name of the file, or host and database; no secret. */
  source: string;
  /** File in the folder of imports; empty for other sources. */
  file: string;
  bytes: number;
  received: number;
  /** Address, configuration and environment, encrypted; empty once it has ended. */
  source_cipher: string;
  /** Program, version and engine. */
  label: string;
  created_at: number;
  started_at: number;
  ended_at: number;
  step: 'backup' | 'rows' | 'proof';
  /** Whether it was started. */
  has_written: boolean;
  backup_id?: number;
  error?: { code: string; text: string };
  /** JSON texts of `shared/imports.ts`; empty if there is none yet. */
  options: string;
  plan: string;
  report: string;
  proof: string;
  progress: string;
}
