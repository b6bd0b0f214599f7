// State of one run of an import or of its dry run, and the look-up of rows that were imported before.
import type { ImportKind, ImportOptions } from '#shared/imports.ts';
import type { AppContext } from '#server/context.ts';
import type { ImportRowRecord, ImportSourceRecord } from '#server/db/records/import.ts';
import type { DraftKind } from './mapped-row.ts';
import type { ImportProgram } from './program.ts';
import type { Report } from './report.ts';

export interface ImportJob {
  readonly context: AppContext;
  readonly program: ImportProgram;
  readonly options: ImportOptions;
  /** Writes nothing. */
  readonly isDry: boolean;
  readonly report: Report;
  readonly state: ImportSourceRecord;
  /** Old ids that a dry run would import, by kind: the rows of later kinds refer to them. */
  readonly planned: ReadonlyMap<DraftKind, Set<string>>;
  /** Folded names that a dry run would give. */
  readonly plannedNames: Set<string>;
  /** Counts rows that are done. @throws {ImportStopped} to pause the import after a page */
  onRows(kind: ImportKind, count: number): Promise<void>;
}

/** The import was paused; it continues where it stopped. */
export class ImportStopped extends Error {
  override name = 'ImportStopped';
}

export interface Reference {
  kind: DraftKind;
  oldId: string;
}

/** New id of a row; 0 if it was not imported. In a dry run, 1 for rows that would be. */
export type IdOf = (kind: DraftKind, oldId: string) => number;

export function rowId(source: string, kind: string, oldId: string): string {
  return `${source}:${kind}:${oldId}`;
}

/** Bounds of the ids of all rows of a kind. */
export function rowIds(source: string, kind: string): { and: [{ id: { gte: string } }, { id: { lt: string } }] } {
  return { and: [{ id: { gte: rowId(source, kind, '') } }, { id: { lt: `${source}:${kind};` } }] };
}

/** Rows that were imported before, by their old ids. */
export async function findImported(
  { context, state }: Pick<ImportJob, 'context' | 'state'>,
  kind: DraftKind,
  oldIds: readonly string[],
): Promise<ReadonlyMap<string, ImportRowRecord>> {
  const prefix = rowId(state.id, kind, '');
  const ids = [...new Set(oldIds)].map((oldId) => `${prefix}${oldId}`);
  const found = ids.length === 0 ? [] : await context.db.collection('import_rows').find({ id: { in: ids } });
  return new Map(found.map((row) => [row.id.slice(prefix.length), row]));
}

/** Looks up all references of a page. */
export async function findIds(job: ImportJob, references: readonly Reference[]): Promise<IdOf> {
  const found = new Map<string, number>();
  for (const [kind, group] of Map.groupBy(references, (reference) => reference.kind)) {
    const oldIds = group.map(({ oldId }) => oldId).filter((oldId) => oldId !== '');
    for (const [oldId, { new_id: id }] of await findImported(job, kind, oldIds)) found.set(`${kind}:${oldId}`, id);
    if (job.isDry)
      for (const oldId of oldIds) if (job.planned.get(kind)?.has(oldId)) found.set(`${kind}:${oldId}`, found.get(`${kind}:${oldId}`) ?? 1);
  }
  return (kind, oldId) => found.get(`${kind}:${oldId}`) ?? 0;
}
