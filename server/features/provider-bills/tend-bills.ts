// Job: requests bills from usage APIs, compares the last days, ends silent imports and removes what is old.
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { BillAccountRecord, BillImportRecord } from '#server/db/records/bill.ts';
import { storableText } from '#server/db/storable.ts';
import { compareRecent, hourRetentionDays } from './compare-days.ts';
import { addDays } from './calendar.ts';
import { fetchUsage, hasUsageApi, UsageApiError } from './fetch-usage.ts';
import { beginImport, failSilentImports, type Import, runImport } from './run-import.ts';
import type { FileRow } from './read-file.ts';

const hourMs = 3_600_000;
const daySeconds = 86_400;
/** Bills by API are requested so often: providers complete a day within hours. */
const fetchEveryMs = 6 * hourMs;
/** Days that are requested again, because they may have been incomplete, and days of the first request. */
const repeatedDays = 3;
const firstDays = 30;
/** Waiting time after a failure, by the number of failures in a row. */
const retryMs = [10 * 60_000, hourMs, 3 * hourMs, fetchEveryMs] as const;
const accountsAtOnce = 20;
/** Rows of one request of all days, which are in memory. */
const mostFetchedRows = 100_000;
const requestRetentionDays = 180;
const dayRetentionDays = 1_100;
const mostImports = 2_000;

export async function tendBills(context: AppContext): Promise<void> {
  const { db, now, log } = context;
  await failSilentImports(context);
  const due = await db.collection('bill_accounts').find({ fetch_at: { lte: now() } }, { sort: [['fetch_at', 1]], limit: accountsAtOnce });
  for (const account of due) {
    // Another process may run this job as well.
    const claimed = await db
      .collection('bill_accounts')
      .patch({ id: account.id, fetch_at: account.fetch_at ?? 0 }, { set: { fetch_at: now() + retryMs[0] } });
    if (claimed !== null && hasUsageApi(account))
      await fetchBill(context, claimed, { userId: 0 }).catch((failure: unknown) => reportFailure(log, account, failure));
  }
  for (const account of await db.collection('bill_accounts').find({})) {
    await compareRecent(context, account).catch((failure: unknown) => reportFailure(log, account, failure));
  }
  await sweep(context);
}

function reportFailure(log: AppContext['log'], account: BillAccountRecord, failure: unknown): void {
  // The next request brings the days.
  if (failure instanceof AppError && failure.code === 'bill_import_running') return;
  log.warn({ account: account.id, reason: String(failure) }, 'a bill could not be compared');
}

/**
 * Imports the last days from the usage API.
 * @throws {AppError} `bill_import_running`
 */
export async function fetchBill(
  context: AppContext,
  account: BillAccountRecord,
  { userId }: { userId: number },
): Promise<BillImportRecord> {
  const { now } = context;
  const today = new Date(now()).toISOString().slice(0, 10);
  const to = addDays(today, -1);
  const sinceDays =
    account.fetched_at === undefined ? firstDays : Math.ceil((now() - account.fetched_at) / 1000 / daySeconds) + repeatedDays;
  const from = addDays(today, -Math.min(firstDays, Math.max(1, sinceDays)));
  const running = await beginImport(context, account, { source: 'api', fileName: '', userId });
  running.record.format = account.provider;
  let failure: UsageApiError | undefined;
  const result = await runImport(
    running,
    watched(fetchUsage(context, account, { from, to }), { beat: running.beat, onFailure: (caught) => (failure = caught) }),
  );
  await noteFetch(running, failure ?? failureOf(result));
  return result;
}

/** Days that were not stored are requested again, whatever the reason. */
function failureOf({ state, failure }: BillImportRecord): UsageApiError | undefined {
  return state === 'failed' ? new UsageApiError('other', failure?.code ?? '') : undefined;
}

/** Rows of the API; its failure ends the import like one of the file, and is reported with the account. */
async function* watched(
  pages: AsyncIterable<FileRow[]>,
  { beat, onFailure }: Pick<Import, 'beat'> & { onFailure(failure: UsageApiError): void },
): AsyncGenerator<FileRow[]> {
  try {
    // Nothing is stored before all pages are there: half a bill is none.
    const all: FileRow[][] = [];
    let rows = 0;
    for await (const page of pages) {
      beat.check();
      all.push(page);
      rows += page.length;
      if (rows > mostFetchedRows) throw new UsageApiError('endless');
    }
    yield* all;
  } catch (cause) {
    if (cause instanceof UsageApiError) onFailure(cause);
    throw cause;
  }
}

async function noteFetch({ context: { db, now }, account }: Import, failure: UsageApiError | undefined): Promise<void> {
  const accounts = db.collection('bill_accounts');
  const where = { id: account.id, key_cipher: account.key_cipher };
  if (failure === undefined) {
    await accounts.patch(where, { set: { fetched_at: now(), fetch_at: now() + fetchEveryMs }, unset: ['failure'] });
    return;
  }
  const tries = (account.failure?.tries ?? 0) + 1;
  const waitMs = Math.max(
    retryMs[Math.min(tries, retryMs.length) - 1] ?? fetchEveryMs,
    Math.min(fetchEveryMs, (failure.retryAfter ?? 0) * 1000),
  );
  const noted = { code: failure.code, text: storableText(failure.message, 500), at: now(), tries };
  await accounts.patch(where, { set: { failure: noted, fetch_at: now() + waitMs } });
}

async function sweep({ db, now }: AppContext): Promise<void> {
  const seconds = Math.floor(now() / 1000);
  await db.collection('cost_hours').remove({ start: { lt: seconds - hourRetentionDays * daySeconds } });
  const before = (days: number) => new Date((seconds - days * daySeconds) * 1000).toISOString().slice(0, 10);
  await db.collection('bill_requests').remove({ day: { lt: before(requestRetentionDays) } });
  await db.collection('bill_days').remove({ day: { lt: before(dayRetentionDays) } });
  const [last] = await db.collection('bill_imports').find({}, { sort: [['id', -1]], skip: mostImports, limit: 1 });
  if (last !== undefined) await db.collection('bill_imports').remove({ id: { lte: last.id }, running: { exists: false } });
}
