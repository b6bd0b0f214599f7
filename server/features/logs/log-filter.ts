// Builds the store's filter from the filters of the log page.
import { type logApi, LogType } from '#shared/logs.ts';
import type { QueryOf } from '#shared/contract.ts';
import type { AppContext } from '#server/context.ts';
import { type Filter, onField } from '#server/db/collection.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { findSessionId } from './list-call-sessions.ts';
import type { TokenScope } from './token-scope.ts';
import type { CallKind, CallQuestion } from '#server/logs/sum-calls.ts';

type Given = Partial<QueryOf<typeof logApi.stat>> & TokenScope;
type Field = 'session_key' | 'cache_broken' | 'user_id' | 'plain_type' | 'failed' | 'token_name' | 'model_name' | 'channel_id' | 'group';
type Equal = [field: Field, value: string | number];

/** User and request of the query, looked up once. */
interface Subject {
  userId: number | undefined;
  isOwn: boolean;
  request: Filter<LogRecord> | undefined;
  session: string | undefined;
}

/**
 * The rows that a query is about, without its time bounds; `null` when nothing can match. `userId` limits everything to
 * one user's rows.
 */
export async function logFilter(context: Pick<AppContext, 'db'>, query: Given, userId?: number): Promise<Filter<LogRecord>[] | null> {
  const subject = await subjectOf(context, query, userId);
  return subject === null ? null : rowFilter(query, subject, await narrowestOf(context, query, subject));
}

/** Fewer rows than this are read at once, whatever other filters a query has. */
const fewRows = 1_000;
/** Beyond this many no difference is made: counting in an index stays at a millisecond or two. */
const manyRows = 20_000;

/**
 * Returns the indexed field whose value has the fewest rows in the requested time. Counted in the indexes: a token of a reseller has a hundred rows,
 * the reseller a million.
 */
async function narrowestOf({ db }: Pick<AppContext, 'db'>, query: Given, subject: Subject): Promise<Field | undefined> {
  const equals = equalsOf(query, subject);
  if (subject.request !== undefined || equals.length < 2 || isNarrow(equals)) return undefined;
  let narrowest: { field: Field; count: number } | undefined;
  for (const [field] of equals) {
    const led = leadBy(field, equals);
    const filter: Filter<LogRecord> = {
      and: [...led.slice(0, indexedTogether(led)).map(([name, value]) => onField<LogRecord, Field>(name, value)), ...timeFilter(query)],
    };
    const count = await db.collection('logs').count(filter, narrowest?.count ?? manyRows);
    if (narrowest === undefined || count < narrowest.count) narrowest = { field, count };
    if (narrowest.count < fewRows) break;
  }
  return narrowest?.field;
}

/** The calls that a query is about, whatever type it names; `null` when nothing can match. */
export async function callQuestion(context: Pick<AppContext, 'db'>, query: Given, ownId?: number): Promise<CallQuestion | null> {
  const subject = query.result === 'refused' ? null : await subjectOf(context, query, ownId);
  if (subject === null) return null;
  const { model_name: model, group, token_name: tokenName, result, cache } = query;
  const channel = channelOf(query, subject);
  const kinds: Filter<CallKind>[] = [];
  if (model !== undefined) kinds.push(...(isPattern(model) ? modelFilter(model) : [{ model_name: model }]));
  if (channel !== undefined) kinds.push({ channel_id: channel });
  if (group !== undefined) kinds.push({ group });
  if (result !== undefined) kinds.push({ failed: result === 'failed' });
  const rows = rowFilter({ ...query, type: LogType.consumption }, subject);
  // A call that was given back had not failed when it was charged.
  const refunded = rowFilter({ ...query, result: undefined, type: LogType.system }, subject);
  const refunds = [...refunded, result === 'failed' ? { id: -1 } : { refunded: { exists: true } }];
  // Sums have names of tokens, which change.
  const isFew = subject.request !== undefined || subject.session !== undefined || cache !== undefined || query.token_ids !== undefined;
  return { userId: subject.userId, tokenName, kinds, rows, refunds, isFew };
}

async function subjectOf({ db }: Pick<AppContext, 'db'>, query: Given, ownId?: number): Promise<Subject | null> {
  if (query.token_ids?.length === 0) return null;
  const { username, request_id: requestId, session: named } = query;
  const isOwn = ownId !== undefined;
  let userId = ownId;
  if (!isOwn && username !== undefined) {
    // Rows are indexed by user id; names never change hands.
    const user = await db.collection('users').first({ username });
    if (user === null) return null;
    userId = user.id;
  }
  const session = named === undefined ? undefined : await findSessionId({ db }, named, userId);
  if (session === null) return null;
  const request = requestId === undefined ? undefined : await requestFilter({ db }, requestId);
  return { userId, isOwn, request, session };
}

/** Characters of a request id up to the minute: a beginning of this length fits the requests of one minute at most. */
const idToMinute = 12;
/** Rows of refused calls whose requests have ids that begin alike. */
const mostRefusals = 20;

/** The calls with a request id, or with one that begins so. */
async function requestFilter({ db }: Pick<AppContext, 'db'>, given: string): Promise<Filter<LogRecord>> {
  const isBeginning = given.length >= idToMinute;
  const call: Filter<LogRecord> = { request_id: isBeginning ? { startsWith: given } : given };
  // Refused calls share a row, which carries the id of the newest only.
  const refused = await db
    .collection('refused_requests')
    .find({ id: isBeginning ? { startsWith: given } : given }, { limit: mostRefusals });
  if (refused.length === 0) return call;
  const rows: Filter<LogRecord> = { id: { in: [...new Set(refused.map((one) => one.log_id))] } };
  return refused.some(({ id }) => id === given) ? rows : { or: [rows, call] };
}

/** `narrowest`: the field that the engine shall look up; without it the one that usually leaves the fewest rows. */
function rowFilter(query: Given, subject: Subject, narrowest?: Field): Filter<LogRecord>[] {
  const equals = leadBy(narrowest, equalsOf(query, subject));
  // The request has an index of its own, which leaves the fewest rows.
  const count = subject.request === undefined ? indexedTogether(equals) : 0;
  const { model_name: model, type = 0, result, token_ids: tokens } = query;
  return [
    ...(subject.request === undefined ? [] : [subject.request]),
    ...equals.slice(0, count).map(([field, value]) => onField<LogRecord, Field>(field, value)),
    ...equals.slice(count).map(([field, value]) => sameAs(field, value)),
    ...(model !== undefined && isPattern(model) ? modelFilter(model) : []),
    ...(tokens === undefined ? [] : [{ token_id: { in: tokens } }]),
    ...(type === LogType.consumption || result === 'success' || result === 'failed' ? [{ type: LogType.consumption }] : []),
    ...(result === 'success' ? [{ failed: { exists: false } }] : []),
    // Tests of channels are listed on request only.
    ...(type === 0 && result === undefined ? [{ type: { lt: LogType.test } }] : []),
    { hidden: { exists: false } },
  ];
}

/** `field` first; of a user and the name of a token both, since they have an index together. */
function leadBy(field: Field | undefined, equals: readonly Equal[]): Equal[] {
  if (field === undefined) return [...equals];
  const isKey = (name: Field) => name === 'user_id' || name === 'token_name';
  const isPair = isKey(field) && equals.filter(([name]) => isKey(name)).length === 2;
  const leads = ([name]: Equal) => (isPair ? isKey(name) : name === field);
  return [...equals.filter(leads), ...equals.filter((equal) => !leads(equal))];
}

/** Fields that have an index with the user, too. */
const ledByUser: ReadonlySet<Field> = new Set(['plain_type', 'failed', 'cache_broken']);

/** How many of the first fields begin an index together. */
function indexedTogether([first, second]: readonly Equal[]): 1 | 2 {
  if (second === undefined) return 1;
  if (first?.[0] === 'user_id') return second[0] === 'token_name' ? 2 : 1;
  return first !== undefined && ledByUser.has(first[0]) && second[0] === 'user_id' ? 2 : 1;
}

/** What has an index, those that usually leave few rows first. */
function equalsOf(query: Given, subject: Subject): Equal[] {
  const equals: Equal[] = [];
  if (subject.session !== undefined) equals.push(['session_key', subject.session]);
  const { type, result, model_name: model } = query;
  if (type !== undefined && type !== 0 && type !== LogType.consumption) equals.push(['plain_type', type]);
  if (result === 'refused' && type !== LogType.refusal) equals.push(['plain_type', LogType.refusal]);
  if (query.cache === 'broken') equals.push(['cache_broken', 1]);
  if (result === 'failed') equals.push(['failed', 1]);
  if (subject.userId !== undefined) equals.push(['user_id', subject.userId]);
  if (model !== undefined && !isPattern(model)) equals.push(['model_name', model]);
  if (query.token_name !== undefined) equals.push(['token_name', query.token_name]);
  const channel = channelOf(query, subject);
  if (channel !== undefined) equals.push(['channel_id', channel]);
  if (query.group !== undefined) equals.push(['group', query.group]);
  return equals;
}

/** Rows of which there are few: their index is the one to use, with the user where it has it. */
function isNarrow([first]: readonly Equal[]): boolean {
  return first !== undefined && !wideFields.has(first[0]);
}

const wideFields: ReadonlySet<Field> = new Set(['user_id', 'model_name', 'token_name', 'channel_id', 'group']);

/** Which channel is none of a user's business. */
function channelOf({ channel }: Given, { isOwn }: Subject): number | undefined {
  return isOwn || channel === 0 ? undefined : channel;
}

/** The time bounds of a query, both inclusive; 0 means none. */
export function timeFilter({ start_timestamp: start, end_timestamp: end }: Given): Filter<LogRecord>[] {
  return [
    ...(start !== undefined && start > 0 ? [{ created_at: { gte: start } }] : []),
    ...(end !== undefined && end > 0 ? [{ created_at: { lte: end } }] : []),
  ];
}

/**
 * Equality in a form that does not invite an engine to choose this field's index: without statistics SQLite takes all
 * equalities for equally good, and would rather read a hundred thousand rows of a group than a hundred of a user.
 */
function sameAs(field: Field, value: string | number): Filter<LogRecord> {
  return onField<LogRecord, Field>(field, { unindexedEq: value });
}

function isPattern(model: string): boolean {
  return model.includes('%');
}

/**
 * Names with `%` for anything: what stands before the first `%` is how the name begins, every other part occurs in it.
 * Nothing else is special.
 */
function modelFilter(pattern: string): Filter<Pick<LogRecord, 'model_name'>>[] {
  const [prefix = '', ...parts] = pattern.split('%');
  return [
    ...(prefix === '' ? [] : [{ model_name: { startsWith: prefix } }]),
    ...parts.filter((part) => part !== '').map((part) => ({ model_name: { contains: part } })),
  ];
}
