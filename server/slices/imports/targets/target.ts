// Interface of the kinds of records that rows become.
import type { Write } from '#server/db/database.ts';
import type { IdOf, ImportJob, Reference } from '../import-job.ts';
import type { Drafts, MappedRow, RowNote } from '../mapped-row.ts';

export interface FreshRow<Draft> extends MappedRow<Draft> {
  draft: Draft;
}

/** What becomes of a row that was not imported before. */
export type Verdict<Draft> =
  | { row: FreshRow<Draft>; outcome: 'add'; draft: Draft; notes: readonly RowNote[] }
  /** Its balance and what refers to it go to an existing record. */
  | { row: FreshRow<Draft>; outcome: 'join'; id: number; notes: readonly RowNote[] }
  | { row: FreshRow<Draft>; outcome: 'leave'; note: RowNote }
  /** It is left out, and the import is refused unless conflicts are to be left out. */
  | { row: FreshRow<Draft>; outcome: 'conflict'; note: RowNote };

export interface Target<Kind extends keyof Drafts> {
  kind: Kind;
  /** Kind of account, if its balance is entered in the ledger. */
  account?: 'user' | 'token';
  references(draft: Drafts[Kind]): readonly Reference[];
  judge(job: ImportJob, rows: readonly FreshRow<Drafts[Kind]>[], idOf: IdOf): Promise<Verdict<Drafts[Kind]>[]>;
  insertion(draft: Drafts[Kind], id: number, idOf: IdOf): Write;
  /** Writes that belong to a record and may be repeated. */
  further?(job: ImportJob, draft: Drafts[Kind], id: number): Promise<Write[]>;
  /** Ids, of these, that exist. */
  existing(job: Pick<ImportJob, 'context'>, ids: readonly number[]): Promise<ReadonlySet<number>>;
  nextIds(job: ImportJob, count: number): Promise<number[]>;
  /** Called for new records once they are complete. */
  announce?(job: ImportJob, ids: readonly number[]): Promise<void>;
}

export function added<Draft>(row: FreshRow<Draft>, draft: Draft = row.draft, notes: readonly RowNote[] = []): Verdict<Draft> {
  return { row, outcome: 'add', draft, notes: [...row.notes, ...notes] };
}
