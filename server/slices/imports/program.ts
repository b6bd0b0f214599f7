// Interface of a gateway's database, whatever program wrote it.
import type { Drafts, MappedRow, RowNote } from './mapped-row.ts';
import type { MappedSetting } from './newapi/map-settings.ts';

export type ProgramName = 'one-api' | 'new-api' | 'litellm';

export interface PageOptions {
  /** Rows after this position. */
  after?: string | undefined;
  /** Rows before this position. */
  before?: string | undefined;
  /** Unix seconds. Only of log rows. */
  since?: number | undefined;
}

export interface ProgramPage<Draft> {
  rows: readonly MappedRow<Draft>[];
  /** Positions of its first and its last row. */
  first: string;
  position: string;
}

export interface NamedNote {
  kind: NoteKind;
  name: string;
  note: RowNote;
  isLeftOut: boolean;
  /** Number of source rows; 1 if undefined. */
  rows?: number;
}

export type NoteKind = keyof Drafts | 'setting' | 'price' | 'other';

/** Counts and sums that the source's own engine computes, independently of the mappers. */
export interface SourceTotals {
  /** Rows by kind, deleted ones included. */
  counts: Readonly<Record<keyof Drafts, number>>;
  sums: Readonly<Partial<Record<SumName, number>>>;
  /** Largest difference of a sum that rounding explains: half a unit per row, where the source has fractions. */
  slack?: number;
}

export const sumNames = ['user_balance', 'user_used', 'token_balance', 'token_used', 'channel_used', 'code_unused', 'log_charged'] as const;
export type SumName = (typeof sumNames)[number];

/** Rows of the log that count. */
export interface LogRange {
  /** Unix seconds. */
  since?: number | undefined;
  /** Positions of the first and the last row. */
  first?: string | undefined;
  last?: string | undefined;
}

export interface ImportProgram {
  program: ProgramName;
  /** Version as far as tables and columns show it, and the engine. */
  label: string;
  /** Identifies the installation, so that a repeated import recognizes its rows. */
  identity: string;
  quotaPerUnit: number;
  settings: readonly MappedSetting[];
  /** Groups with a ratio. */
  groups: ReadonlySet<string>;
  pages<Kind extends keyof Drafts>(kind: Kind, options?: PageOptions): AsyncIterable<ProgramPage<Drafts[Kind]>>;
  /** Greatest id of a kind whose ids are integers; null if they are not. */
  greatestId(kind: keyof Drafts): Promise<number | null>;
  totals(log: LogRange): Promise<SourceTotals>;
  /** Remarks about settings, prices and tables that have no counterpart. */
  notes(): Promise<readonly NamedNote[]>;
}
