// Bills of providers (`server/features/provider-bills/`). Amounts are exact decimal texts in USD.

/** An account at a provider, and the channels whose calls its bill covers. */
export interface BillAccountRecord {
  id: number;
  name: string;
  provider: 'openai' | 'anthropic' | 'google' | 'openrouter' | 'other';
  channel_ids: number[];
  /** IANA zone in which the bill's days begin. */
  zone: string;
  currency: string;
  /** USD for one of the currency. */
  rate: string;
  /** Factor on the cost by the site's prices. */
  factor: string;
  /** Names of models in the bill, and here. Pairs, because names may hold dots. */
  models: { billed: string; here: string }[];
  base_url: string;
  /** Admin key of the usage API, encrypted; empty: none. */
  key_cipher: string;
  revision: number;
  /** Time at which the usage API is due, milliseconds; undefined without a key. */
  fetch_at?: number;
  /** Last success, milliseconds. */
  fetched_at?: number;
  failure?: { code: string; text: string; at: number; tries: number };
  /** Days from this one on are compared again, because calls, prices or the account have changed. */
  compare_from?: string;
}

export interface BillMappingRecord {
  /** The name. */
  id: string;
  columns: { field: string; column: string }[];
  decimal: '.' | ',';
  changed_at: number;
}

/** One import of a bill. */
export interface BillImportRecord {
  id: number;
  account_id: number;
  /** The account's id while it runs: a unique index allows one at a time. */
  running?: number;
  source: 'file' | 'api';
  file_name: string;
  format: string;
  state: 'running' | 'matching' | 'done' | 'failed';
  user_id: number;
  /** Milliseconds. */
  started_at: number;
  ended_at?: number;
  /** While it runs its process prolongs this time. */
  alive_until: number;
  rows: number;
  faults: number;
  first_faults: { line: number; code: string; text: string }[];
  first_day?: string;
  last_day?: string;
  amount?: string;
  failure?: { code: string; text: string };
  matched?: { both: number; differ: number; unbilled: number; foreign: number };
  /** Set by the console: its process stops it. */
  is_stopped?: boolean;
}

/** A model in a day's bill, or in the log. */
export interface BillLine {
  /** Name as written there. */
  model: string;
  calls?: number;
  input_tokens?: number;
  output_tokens?: number;
  amount?: string;
}

/** A day of an account: what was billed, and what was expected. Written as a whole, so that no import counts twice. */
export interface BillDayRecord {
  /** `<account>:<day>`. */
  id: string;
  account_id: number;
  /** `YYYY-MM-DD` in the account's zone. */
  day: string;
  /** Amounts and tokens may come in different exports, of which each replaces its own part. */
  costs?: BillLine[];
  usage?: BillLine[];
  /** By the log; undefined: not compared yet. */
  ours?: BillLine[];
  /** Not all of the day's calls are counted yet, or some were deleted before they were. */
  is_partial?: boolean;
  /** An alert has covered this day. */
  is_alerted?: boolean;
  /** Requests have left this day, which is not counted again yet. */
  has_moved?: boolean;
}

/** A row of a bill that names its request, or a call that such a bill lacks. */
export interface BillRequestRecord {
  /** `<account>:<request id>`, or `<account>:log:<id>` of a call that is not billed. */
  id: string;
  account_id: number;
  state: 'new' | 'both' | 'differs' | 'foreign' | 'unbilled';
  day: string;
  /** Unix seconds. */
  at: number;
  request_id: string;
  model: string;
  input_tokens?: number;
  output_tokens?: number;
  billed?: string;
  ours?: string;
  log_id?: number;
}

/** Calls of a channel and upstream model in an hour, and their cost by the prices of those calls. */
export interface CostHourRecord {
  id: string;
  /** Start of the hour, or of the quarter hour while an account has such a zone; unix seconds. */
  start: number;
  channel_id: number;
  /** As it was sent to the provider. */
  model: string;
  calls: number;
  input_tokens: number;
  output_tokens: number;
  /** USD before factors of groups. */
  cost: string;
}
