// Proves that two databases hold the same records: an ordered comparison of every row, with hashes and sums.
import type { CollectionName } from '#server/db/database.ts';
import type { Row, RowSource } from '#server/db/rows/rows.ts';
import { collectionNames } from '#server/transfer/copy-rows.ts';
import type { OnProgress } from '#server/transfer/progress.ts';
import { canonical, type CollectionDigest, createDigest } from '#server/transfer/row-digest.ts';

export interface Comparison {
  /** Collections that have rows. */
  digests: { name: CollectionName; digest: CollectionDigest }[];
  /** First differences, one line each. */
  differences: string[];
  /** Number of all differences. */
  count: number;
}

const mostReported = 10;
/** Pairs of rows that are compared before the event loop runs. */
const mostMerged = 500;

export async function compareRows({
  source,
  target,
  onProgress,
}: {
  source: RowSource;
  target: Pick<RowSource, 'pages' | 'counters'>;
  onProgress: OnProgress;
}): Promise<Comparison> {
  const result: Comparison = { digests: [], differences: [], count: 0 };
  const differ = (line: string) => {
    result.count += 1;
    if (result.differences.length < mostReported) result.differences.push(line);
  };
  let all = 0;
  for (const name of collectionNames) all += await source.count(name);
  let done = 0;
  for (const name of collectionNames) {
    const digest = createDigest(name);
    for await (const merged of pairs(source.pages(name), target.pages(name))) {
      for (const pair of merged) {
        if (pair.left !== undefined) done += 1;
        const difference = compared(pair, digest);
        if (difference !== undefined) differ(`${name} ${difference}`);
      }
      onProgress({ step: 'Verifying rows', done, all: Math.max(all, done), item: name });
    }
    const summary = digest.end();
    if (summary.rows > 0) result.digests.push({ name, digest: summary });
  }
  const [ours, theirs] = [await source.counters(), await target.counters()];
  for (const name of new Set([...ours.keys(), ...theirs.keys()]))
    if (ours.get(name) !== theirs.get(name)) differ(`the id counter of ${name} differs`);
  onProgress({ step: 'Verifying rows', done: all, all });
  return result;
}

/** Adds the row to the digest, and returns how it differs. */
function compared({ left, right }: Pair, digest: ReturnType<typeof createDigest>): string | undefined {
  if (left === undefined) return `${String(right?.id)} is only in the target`;
  const doc = canonical(left.doc);
  digest.add(doc);
  if (right === undefined) return `${left.id} is missing in the target`;
  return left.doc === right.doc || doc === canonical(right.doc) ? undefined : `${left.id} differs`;
}

interface Pair {
  left: Row | undefined;
  right: Row | undefined;
}

/** Merges two ordered sequences of rows by id, a page at a time. */
async function* pairs(left: AsyncIterable<Row[]>, right: AsyncIterable<Row[]>): AsyncGenerator<Pair[]> {
  const [lefts, rights] = [pageReader(left), pageReader(right)];
  for (;;) {
    const merged: Pair[] = [];
    await lefts.fill();
    await rights.fill();
    if (lefts.head() === undefined && rights.head() === undefined) return;
    while (merged.length < mostMerged) {
      const [one, other] = [lefts.head(), rights.head()];
      // The order is known while both pages last, or one side has ended.
      if ((one === undefined && !lefts.hasEnded()) || (other === undefined && !rights.hasEnded())) break;
      if (one === undefined && other === undefined) break;
      const order = one === undefined ? 1 : other === undefined ? -1 : compareIds(one.id, other.id);
      merged.push({ left: order <= 0 ? one : undefined, right: order >= 0 ? other : undefined });
      if (order <= 0) lefts.skip();
      if (order >= 0) rights.skip();
    }
    yield merged;
  }
}

function pageReader(pages: AsyncIterable<Row[]>) {
  const iterator = pages[Symbol.asyncIterator]();
  let page: readonly Row[] = [];
  let at = 0;
  let isOver = false;
  return {
    /** Reads the next page if this one is used up. */
    async fill() {
      while (at >= page.length && !isOver) {
        const next = await iterator.next();
        if (next.done === true) isOver = true;
        else [page, at] = [next.value, 0];
      }
    },
    head: () => page[at],
    skip: () => void (at += 1),
    hasEnded: () => isOver && at >= page.length,
  };
}

/** Order of both engines: numbers, or texts by their bytes in UTF-8. */
function compareIds(one: number | string, other: number | string): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)));
}
