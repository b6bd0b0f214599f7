// The database of one-api or new-api.
import { createHash } from 'node:crypto';
import { LogType } from '#shared/logs.ts';
import { RedemptionStatus } from '#shared/redemptions.ts';
import type { Secrets } from '#server/secrets/secrets.ts';
import { type Drafts, leftOut, type MappedRow } from '../mapped-row.ts';
import type { ImportProgram, LogRange, NamedNote, PageOptions, ProgramPage, SourceTotals } from '../program.ts';
import { AmountError, objectOf, parsedJson, text, trimmed } from '../sources/row-values.ts';
import {
  allRows,
  hasColumn,
  pageSize,
  pagesOf,
  type SourceDatabase,
  SourceError,
  type SourceRow,
  type TotalFilter,
  type Totals,
} from '../sources/source-database.ts';
import { mapChannel } from './map-channel.ts';
import { mapCode, mapOrder } from './map-code.ts';
import { mapLog } from './map-log.ts';
import { mapSettings } from './map-settings.ts';
import { mapDrawing, mapTask } from './map-task.ts';
import { mapToken } from './map-token.ts';
import { mapUser } from './map-user.ts';
import { priceNotes } from './price-notes.ts';
import { tablesWithoutPlace } from './tables-without-place.ts';

export interface ProgramParts {
  source: SourceDatabase;
  /** Unix seconds. */
  now: number;
  secrets: Secrets;
}

const defaultQuotaPerUnit = 500_000;
/** Log rows are many and short. */
const logPageSize = 1000;

/** Mappers by table. A drawing is a task in another table. */
const tables = {
  user: ['users'],
  token: ['tokens'],
  channel: ['channels'],
  code: ['redemptions'],
  order: ['top_ups'],
  task: ['tasks', 'midjourneys'],
  log: ['logs'],
} as const satisfies Record<keyof Drafts, readonly string[]>;

/** Null if the database is another program's. @throws {SourceError} if it is one that is not supported */
export async function openNewApi({ source, now, secrets }: ProgramParts): Promise<ImportProgram | null> {
  const program = programOf(source);
  if (program === null) return null;
  const options = await readOptions(source);
  const mapping = mapSettings(options);
  const quotaPerUnit = Number(options.get('QuotaPerUnit') ?? defaultQuotaPerUnit) || defaultQuotaPerUnit;
  const groups = new Set(['default', ...Object.keys(objectOf(parsedJson(options.get('GroupRatio') ?? '')) ?? {})]);
  if (!options.has('GroupRatio')) for (const name of ['vip', 'svip']) groups.add(name);
  const verifiesEmail = options.get('EmailVerificationEnabled') === 'true';
  const common = { now, secrets, program, groups, verifiesEmail, quotaPerUnit };
  const mappers: { [Kind in keyof Drafts]: (row: SourceRow, table: string) => MappedRow<Drafts[Kind]>[] } = {
    user: (row) => [mapUser(row, common)],
    token: (row) => [mapToken(row, common)],
    channel: (row) => [mapChannel(row, common)],
    code: (row) => [mapCode(row, common)],
    order: (row) => [mapOrder(row, common)],
    task: (row, table) => [table === 'midjourneys' ? mapDrawing(row) : mapTask(row)],
    log: (row) => [mapLog(row, common)],
  };
  return {
    program,
    label: `${program}${generationOf(source, program)}, ${engineNames[source.engine]} ${source.version}`,
    identity: await identityOf(source, program),
    quotaPerUnit,
    settings: mapping.settings,
    groups,
    pages: (kind, request = {}) =>
      mappedPages(source, tables[kind], mappers[kind], { ...request, limit: kind === 'log' ? logPageSize : pageSize }),
    greatestId: (kind) => (source.tables.has(tables[kind][0]) ? source.greatest(tables[kind][0], 'id') : Promise.resolve(0)),
    totals: (log) => totalsOf(source, log),
    async notes() {
      const own = mapping.notes.map(({ name, note, isLeftOut }): NamedNote => ({
        kind: note.reason === 'price_expression' ? 'price' : 'setting',
        name,
        note,
        isLeftOut,
      }));
      return [...own, ...(await priceNotes(source, { options, settings: mapping.settings })), ...(await tablesWithoutPlace(source))];
    },
  };
}

const engineNames = { sqlite: 'SQLite', mysql: 'MySQL', postgresql: 'PostgreSQL' } as const;

function programOf(source: SourceDatabase): 'one-api' | 'new-api' | null {
  const needed = ['users', 'tokens', 'channels', 'options'];
  if (!needed.every((table) => source.tables.has(table)) || !hasColumn(source, 'options', 'key')) return null;
  if (hasColumn(source, 'user_groups', 'symbol')) {
    const name = hasColumn(source, 'logs', 'cost_quota') || source.tables.has('invite_codes') ? 'done-hub' : 'one-hub';
    throw new SourceError(
      `This is a database of ${name}, which cannot be imported from: its channel types and prices have other meanings than those of one-api and new-api. Nothing was read`,
      { failure: 'unsupported' },
    );
  }
  const isOneApi = hasColumn(source, 'channels', 'config') && !source.tables.has('setups') && !hasColumn(source, 'tokens', 'deleted_at');
  return isOneApi ? 'one-api' : 'new-api';
}

/** Appended to the name. Versions in the database are those of its first start, so tables and columns identify the version. */
function generationOf(source: SourceDatabase, program: 'one-api' | 'new-api'): string {
  if (program === 'one-api') return '';
  if (source.tables.has('subscription_plans')) return ' 2026';
  return hasColumn(source, 'channels', 'channel_info') ? ' 2025-11' : ' 2025';
}

/** Of what never changes: the time of the first start, and the first account. */
async function identityOf(source: SourceDatabase, program: string): Promise<string> {
  const setups = source.tables.has('setups') ? await source.page('setups', { key: 'id', limit: 1 }) : [];
  const [first] = await source.page('users', { key: 'id', limit: 1 });
  const marks = [program, text(setups[0] ?? {}, 'initialized_at'), text(first ?? {}, 'id'), trimmed(first ?? {}, 'username')];
  return `${program}-${createHash('sha256').update(marks.join('\n')).digest('hex').slice(0, 12)}`;
}

async function readOptions(source: SourceDatabase): Promise<Map<string, string>> {
  const rows = await allRows(source, 'options', { key: 'key' });
  return new Map(rows.map((row) => [text(row, 'key'), text(row, 'value')]));
}

/** A position names the table and the last row of it. */
async function* mappedPages<Draft>(
  source: SourceDatabase,
  names: readonly string[],
  map: (row: SourceRow, table: string) => MappedRow<Draft>[],
  { after, before, since, limit }: PageOptions & { limit: number },
): AsyncGenerator<ProgramPage<Draft>> {
  for (const table of names) {
    const bounds = {
      limit,
      ...(after === undefined ? {} : { after: Number(after) }),
      ...(before === undefined ? {} : { before: Number(before) }),
      ...(since === undefined ? {} : { since: { column: 'created_at', value: since } }),
    };
    for await (const page of pagesOf(source, table, bounds)) {
      const rows = page.flatMap((row) => mapSafely(row, table, map));
      yield { rows, first: text(page[0] ?? {}, 'id'), position: text(page.at(-1) ?? {}, 'id') };
    }
  }
}

function mapSafely<Draft>(row: SourceRow, table: string, map: (row: SourceRow, table: string) => MappedRow<Draft>[]): MappedRow<Draft>[] {
  try {
    return map(row, table);
  } catch (failure) {
    if (!(failure instanceof AmountError)) throw failure;
    const id = text(row, 'id');
    return [leftOut(id, trimmed(row, 'username') || trimmed(row, 'name') || `#${id}`, { reason: 'amount_unreadable' })];
  }
}

/** Of rows that are not deleted, except for the counts. */
async function totalsOf(source: SourceDatabase, { since, first, last }: LogRange): Promise<SourceTotals> {
  const total = async (table: string, options: Parameters<SourceDatabase['total']>[1] = {}): Promise<Totals> =>
    source.tables.has(table) ? source.total(table, options) : { count: 0, sums: {} };
  const left = { column: 'deleted_at', is: 'null' } as const;
  const recent: TotalFilter[] = [
    ...(since === undefined ? [] : [{ column: 'created_at', is: 'gte', value: since } as const]),
    ...(first === undefined ? [] : [{ column: 'id', is: 'gte', value: Number(first) } as const]),
    ...(last === undefined ? [] : [{ column: 'id', is: 'lte', value: Number(last) } as const]),
  ];
  const counts: Record<keyof Drafts, number> = { user: 0, token: 0, channel: 0, code: 0, order: 0, task: 0, log: 0 };
  for (const kind of ['user', 'token', 'channel', 'code', 'order', 'task'] as const) {
    for (const table of tables[kind]) counts[kind] += (await total(table)).count;
  }
  counts.log = (await total('logs', { where: recent })).count;
  const users = await total('users', { sum: ['quota', 'used_quota'], where: [left, { column: 'status', is: 'not', value: 3 }] });
  const tokens = await total('tokens', { sum: ['used_quota'], where: [left] });
  const limited = await total('tokens', { sum: ['remain_quota'], where: [left, { column: 'unlimited_quota', is: 'false' }] });
  const channels = await total('channels', { sum: ['used_quota'] });
  const codes = await total('redemptions', {
    sum: ['quota'],
    where: [left, { column: 'status', is: 'eq', value: RedemptionStatus.unused }],
  });
  const logs = await total('logs', { sum: ['quota'], where: [...recent, { column: 'type', is: 'eq', value: LogType.consumption }] });
  return {
    counts,
    sums: {
      user_balance: users.sums['quota'] ?? 0,
      user_used: users.sums['used_quota'] ?? 0,
      token_balance: limited.sums['remain_quota'] ?? 0,
      token_used: tokens.sums['used_quota'] ?? 0,
      channel_used: channels.sums['used_quota'] ?? 0,
      code_unused: codes.sums['quota'] ?? 0,
      log_charged: logs.sums['quota'] ?? 0,
    },
  };
}
