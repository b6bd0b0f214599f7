// Imports a bill: reads its rows, replaces the days that it is about, compares them, and matches requests. One import of an account at a time.
import { AppError } from '#shared/errors.ts';
import { decimalText } from '#shared/decimal.ts';
import type { BillImportFailure } from '#shared/provider-bills.ts';
import { silentAt } from '#server/clock/signs-of-life.ts';
import type { AppContext } from '#server/context.ts';
import { DatabaseUnavailable, type Filter, UniqueConflict } from '#server/db/collection.ts';
import type { UnorderedWrite } from '#server/db/database.ts';
import type { BillAccountRecord, BillImportRecord, BillLine, BillRequestRecord } from '#server/db/records/bill.ts';
import { storableText } from '#server/db/storable.ts';
import { addLine, BillSums, type DayPart } from './bill-sums.ts';
import { type BillContext, compareDays, dayId } from './compare-days.ts';
import { type BillEntry, isFault } from './entries.ts';
import { UsageApiError } from './fetch-usage.ts';
import { matchRequests, requestRowId } from './match-requests.ts';
import { BillFileError, type FileRow } from './read-file.ts';

const mostRows = 10_000_000;
/** Rows with request ids, which are stored one by one. */
const mostRequests = 2_000_000;
const shownFaults = 50;
/** Rows that may be wrong before the file counts as none of a bill. */
const mostFaults = 1_000;
const aliveMs = 60_000;
const beatMs = 2_000;
const requestsAtOnce = 1_000;

export interface ImportRequest {
  source: 'file' | 'api';
  fileName: string;
  userId: number;
}

export interface Import {
  context: BillContext & Pick<AppContext, 'waitUntil'>;
  account: BillAccountRecord;
  record: BillImportRecord;
  beat: Beat;
}

/** Prolongs the record of an import while it runs, whatever its work waits for. */
interface Beat {
  /** @throws {BillFileError} `stopped`, if the import was stopped, or taken for interrupted */
  check(): void;
  end(): void;
}

/** @throws {AppError} `bill_import_running` */
export async function beginImport(
  context: Import['context'],
  account: BillAccountRecord,
  { source, fileName, userId }: ImportRequest,
): Promise<Import> {
  const { db, now } = context;
  const at = now();
  const record: BillImportRecord = {
    id: await db.nextId('bill_imports'),
    account_id: account.id,
    running: account.id,
    source,
    file_name: storableText(fileName, 200),
    format: '',
    state: 'running',
    user_id: userId,
    started_at: at,
    alive_until: at + aliveMs,
    rows: 0,
    faults: 0,
    first_faults: [],
  };
  for (let isRetry = false; ; isRetry = true) {
    try {
      await db.collection('bill_imports').insert(record);
      return { context, account, record, beat: startBeat(context, record) };
    } catch (failure) {
      if (!(failure instanceof UniqueConflict)) throw failure;
      if (isRetry || (await failSilentImports(context)) === 0) throw new AppError('bill_import_running');
    }
  }
}

/** Ends imports whose process gives no sign of life; returns their number. */
export function failSilentImports({ db, now }: Pick<BillContext, 'db' | 'now'>): Promise<number> {
  const failure = { code: 'interrupted', text: '' };
  return db
    .collection('bill_imports')
    .patchAll(
      { running: { gte: 0 }, ...silentAt(now(), aliveMs) },
      { set: { state: 'failed', ended_at: now(), failure }, unset: ['running'] },
    );
}

/** Reads all rows, then compares in the background; resolves with the record as it is then. A file that cannot be read ends the import. */
export async function runImport(running: Import, rows: AsyncIterable<readonly FileRow[]>): Promise<BillImportRecord> {
  const { context, record, beat } = running;
  try {
    const read = await readRows(running, rows);
    const { first: from, last: to } = read.sums;
    if (from === undefined || to === undefined) throw new BillFileError('empty');
    await storeDays(running, await partsOf(running, read));
    const { amount } = read.sums;
    const facts = { first_day: from, last_day: to, ...(amount === undefined ? {} : { amount }) };
    const stored = await save(running, { state: 'matching', ...facts });
    context.waitUntil(finish(running, { from, to, isByRequest: read.requests > 0 }));
    return stored;
  } catch (failure) {
    beat.end();
    const ended = await fail(running, failure);
    // The upload itself was refused or cut, which its caller must receive.
    if (failure instanceof AppError) throw failure;
    return ended ?? record;
  }
}

interface Read {
  sums: BillSums;
  /** Rows with request ids. */
  requests: number;
}

async function readRows(running: Import, pages: AsyncIterable<readonly FileRow[]>): Promise<Read> {
  const { record, beat } = running;
  const read: Read = { sums: new BillSums(), requests: 0 };
  for await (const page of pages) {
    const requests: BillEntry[] = [];
    for (const { line, result } of page) {
      record.rows += 1;
      if (result === null) continue;
      if (isFault(result)) {
        record.faults += 1;
        const text = storableText(result.text.replace(/\p{Cc}+/gu, ' '), 80);
        if (record.first_faults.length < shownFaults) record.first_faults.push({ line, code: result.fault, text });
        continue;
      }
      read.sums.add(result);
      if ('requestId' in result) requests.push(result);
    }
    read.requests += requests.length;
    if (record.rows > mostRows || read.requests > mostRequests) throw new BillFileError('too_many_rows');
    if (record.faults > mostFaults && record.faults * 2 > record.rows) throw new BillFileError('too_many_faults');
    await storeRequests(running, requests);
    beat.check();
  }
  if (record.faults > 0 && record.faults === record.rows) throw new BillFileError('too_many_faults');
  return read;
}

/** Stores rows with request ids: a row that is there already is replaced, so no request counts twice. */
async function storeRequests({ context: { db }, account }: Import, entries: readonly BillEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const records = new Map<string, BillRequestRecord>();
  for (const { requestId = '', day, at, model, amount, inputTokens, outputTokens } of entries) {
    const id = requestRowId(account.id, storableText(requestId, 200));
    records.set(id, {
      id,
      account_id: account.id,
      state: 'new',
      day,
      at: at ?? 0,
      request_id: storableText(requestId, 200),
      model: storableText(model, 200),
      ...(inputTokens === undefined ? {} : { input_tokens: inputTokens }),
      ...(outputTokens === undefined ? {} : { output_tokens: outputTokens }),
      ...(amount === undefined ? {} : { billed: decimalText(amount) }),
    });
  }
  const list = [...records.values()];
  const isNew = await db.write(list.map((insert) => ({ insert, into: 'bill_requests' as const, ignoreConflict: true })));
  const known = list.filter((_record, index) => isNew[index] === false);
  await markMoved(db, known);
  const changes = known.map(({ id, ...set }): UnorderedWrite => ({ patch: { set }, of: 'bill_requests', where: { id }, anyOrder: true }));
  if (changes.length > 0) await db.writeUnordered(changes);
}

/** Marks the days that these rows are on at present and will not be, before they leave them. */
async function markMoved(db: BillContext['db'], rows: readonly BillRequestRecord[]): Promise<void> {
  if (rows.length === 0) return;
  const dayOf = new Map(rows.map(({ id, day }) => [id, day]));
  const stored = await db.collection('bill_requests').find({ id: { in: [...dayOf.keys()] } });
  const moved = stored.filter(({ id, day }) => day !== dayOf.get(id)).map((row) => dayId(row.account_id, row.day));
  if (moved.length > 0) await db.collection('bill_days').patchAll({ id: { in: [...new Set(moved)] } }, { set: { has_moved: true } });
}

/**
 * Days of a bill by request have the sums of all its stored rows, which earlier imports may have brought. Days that rows have left, in this import or
 * in one that was interrupted, are counted again.
 */
async function partsOf({ context: { db }, account }: Import, { sums, requests }: Read): Promise<DayPart[]> {
  const parts = sums.parts();
  if (requests === 0) return parts;
  const within = new Set(parts.map(({ day }) => day));
  const left = (await db.collection('bill_days').find({ account_id: account.id, has_moved: true })).filter(({ day }) => !within.has(day));
  const kinds = [...new Set(parts.map(({ part }) => part))];
  const all = [...parts, ...left.flatMap(({ day }) => kinds.map((part) => ({ day, part })))];
  const counted: DayPart[] = [];
  for (const { day, part } of all) counted.push({ day, part, lines: await requestLines(db, account.id, day) });
  return counted;
}

/** Sums by model of a day's stored rows. */
async function requestLines(db: BillContext['db'], accountId: number, day: string): Promise<BillLine[]> {
  const lines = new Map<string, BillLine>();
  for (let after = ''; ;) {
    const filter: Filter<BillRequestRecord> = { account_id: accountId, day, and: [{ id: { gt: after } }] };
    const rows = await db.collection('bill_requests').find(filter, { sort: [['id', 1]], limit: requestsAtOnce });
    for (const { model, state, billed, input_tokens, output_tokens } of rows) {
      if (state === 'unbilled') continue;
      const line: BillLine = {
        model,
        calls: 1,
        ...(input_tokens === undefined ? {} : { input_tokens }),
        ...(output_tokens === undefined ? {} : { output_tokens }),
        ...(billed === undefined ? {} : { amount: billed }),
      };
      lines.set(model, addLine(lines.get(model) ?? { model }, line));
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < requestsAtOnce) return [...lines.values()];
    after = last.id;
  }
}

async function storeDays({ context: { db }, account }: Import, parts: readonly DayPart[]): Promise<void> {
  const days = db.collection('bill_days');
  for (const { day, part, lines } of parts) {
    const id = dayId(account.id, day);
    const stored = lines.map((line) => ({ ...line, model: storableText(line.model, 200) }));
    const set = part === 'costs' ? { costs: stored } : { usage: stored };
    await days.patch({ id }, { set, unset: ['has_moved'] }, { insertIfMissing: { id, account_id: account.id, day, ...set } });
  }
}

async function finish(running: Import, { from, to, isByRequest }: { from: string; to: string; isByRequest: boolean }): Promise<void> {
  const { context, account, beat } = running;
  try {
    await compareDays(context, account, { from, to });
    const matched = isByRequest ? await matchRequests(context, account, { from, to, onPage: () => beat.check() }) : undefined;
    await save(running, { state: 'done', ended_at: context.now(), ...(matched === undefined ? {} : { matched }) }, true);
  } catch (failure) {
    await fail(running, failure);
  } finally {
    beat.end();
  }
}

function startBeat(context: Import['context'], record: BillImportRecord): Beat {
  let ended: BillFileError | undefined;
  const timer = setInterval(() => {
    save({ context, record }, {}).catch((failure: unknown) => {
      // A database that is unavailable for a moment ends no import.
      if (failure instanceof BillFileError) ended ??= failure;
    });
  }, beatMs);
  timer.unref();
  return {
    check() {
      if (ended !== undefined) throw ended;
    },
    end: () => clearInterval(timer),
  };
}

type Changed = Partial<Omit<BillImportRecord, 'id' | 'account_id' | 'running' | 'is_stopped'>>;

async function save(
  { context: { db, now }, record }: Pick<Import, 'context' | 'record'>,
  change: Changed,
  isEnd = false,
): Promise<BillImportRecord> {
  const { rows, faults, first_faults, format } = record;
  const set = { rows, faults, first_faults, format, ...change, alive_until: now() + aliveMs };
  const stored = await db
    .collection('bill_imports')
    .patch({ id: record.id, running: { exists: true } }, isEnd ? { set, unset: ['running'] } : { set });
  // Stopped in the console, or taken for interrupted.
  if (stored === null || stored.is_stopped === true) throw new BillFileError('stopped');
  return stored;
}

async function fail({ context: { db, now, log }, record }: Import, cause: unknown): Promise<BillImportRecord | null> {
  const failure = failureOf(cause);
  if (failure.code === 'other') log.warn({ import: record.id, reason: String(cause) }, 'a bill could not be imported');
  const { rows, faults, first_faults, format } = record;
  const set = { rows, faults, first_faults, format, state: 'failed' as const, ended_at: now(), failure };
  return db.collection('bill_imports').patch({ id: record.id, running: { exists: true } }, { set, unset: ['running'] });
}

function failureOf(cause: unknown): { code: BillImportFailure; text: string } {
  if (cause instanceof BillFileError) return { code: cause.code, text: storableText(cause.message, 500) };
  if (cause instanceof UsageApiError)
    return { code: 'api', text: storableText([cause.code, cause.message].filter((text) => text !== '').join(': '), 500) };
  if (cause instanceof AppError && cause.code === 'body_too_large') return { code: 'too_large', text: '' };
  if (cause instanceof AppError) return { code: 'interrupted', text: '' };
  return { code: cause instanceof DatabaseUnavailable ? 'database' : 'other', text: '' };
}
