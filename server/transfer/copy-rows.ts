// Copies all collections from one database into another. The target stores a cursor with each page, so a copy that was
// interrupted is resumed after the last page.
import { collections } from '#server/db/collections.ts';
import type { CollectionName } from '#server/db/database.ts';
import type { CopyState, Row, RowId, RowTarget } from '#server/db/rows/rows.ts';
import type { OnProgress } from '#server/transfer/progress.ts';

/** Source of a copy: a database, or a backup. */
export interface CopySource {
  pages(name: CollectionName, after?: RowId): AsyncIterable<Row[]>;
  count(name: CollectionName): Promise<number>;
}

export interface CopyOptions {
  source: CopySource;
  target: RowTarget;
  /** Brought up to date with each page. */
  state: CopyState;
  names?: readonly CollectionName[];
  now(): number;
  onProgress: OnProgress;
  signal?: AbortSignal;
}

export const collectionNames: readonly CollectionName[] = namesOf();

function namesOf(): CollectionName[] {
  const names: CollectionName[] = [];
  for (const name in collections) if (isCollection(name)) names.push(name);
  return names;
}

export function isCollection(name: string): name is CollectionName {
  return Object.hasOwn(collections, name);
}

export async function copyRows(options: CopyOptions): Promise<void> {
  const { source, target, names = collectionNames, now, onProgress } = options;
  const counts = new Map<CollectionName, number>();
  for (const name of names) counts.set(name, await source.count(name));
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  // Rows before the cursor of a resumed copy are not counted.
  let done = 0;
  for (const name of names) {
    if (options.state.done.includes(name)) {
      done += counts.get(name) ?? 0;
      continue;
    }
    await copyCollection(options, name, (rows) => {
      done += rows;
      onProgress({ step: 'Copying rows', done, all, item: name });
    });
    options.state.done.push(name);
    delete options.state.current;
    options.state.written_at = now();
    await target.saveState(options.state);
  }
  onProgress({ step: 'Copying rows', done: all, all });
}

async function copyCollection(
  { source, target, state, now, signal }: CopyOptions,
  name: CollectionName,
  onPage: (rows: number) => void,
): Promise<void> {
  const after = state.current?.name === name ? state.current.after : undefined;
  await target.removeAfter(name, after);
  for await (const rows of source.pages(name, after)) {
    signal?.throwIfAborted();
    const last = rows.at(-1);
    if (last === undefined) continue;
    state.written_at = now();
    state.current = { name, after: last.id };
    await target.write(name, rows, state);
    onPage(rows.length);
  }
}
