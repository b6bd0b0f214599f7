// LiteLLM: its config.yaml, its PostgreSQL database, or both.
import { createHash } from 'node:crypto';
import type { LocalText } from '#shared/errors.ts';
import type { Secrets } from '#server/secrets/secrets.ts';
import { type Drafts, leftOut, type MappedRow } from '../mapped-row.ts';
import type { MappedSetting } from '../newapi/map-settings.ts';
import type { ImportProgram, LogRange, NamedNote, PageOptions, ProgramPage, SourceTotals } from '../program.ts';
import { AmountError, flag, jsonObject, objectOf, oneLine, text, trimmed } from '../sources/row-values.ts';
import { allRows, pageSize, pagesOf, type SourceDatabase, type SourceRow, type TotalFilter } from '../sources/source-database.ts';
import { quotaOf, textList } from './dollars.ts';
import { mapPrices } from './litellm-prices.ts';
import { type Deployment, mapDeployment } from './map-deployment.ts';
import { type KeyMapping, mapLiteLlmKey } from './map-litellm-key.ts';
import { mapLiteLlmUser } from './map-litellm-user.ts';
import { mapSpendLog } from './map-spend-log.ts';
import { createParamReader, type ParamReader } from './param-reader.ts';

export interface LiteLlmParts {
  /** Null without a database. */
  source: SourceDatabase | null;
  /** config.yaml; null without one. */
  config: Readonly<Record<string, unknown>> | null;
  /** Values of `os.environ/NAME`. */
  environment: Readonly<Record<string, string | undefined>>;
  saltKey?: string | undefined;
  /** Unix seconds. */
  now: number;
  secrets: Secrets;
  quotaPerUnit: number;
}

const tables = {
  users: 'LiteLLM_UserTable',
  keys: 'LiteLLM_VerificationToken',
  models: 'LiteLLM_ProxyModelTable',
  log: 'LiteLLM_SpendLogs',
} as const;
/** Tables without a counterpart. */
const counted: Readonly<Record<string, LocalText>> = {
  LiteLLM_TeamTable: { zh: '团队', en: 'teams' },
  LiteLLM_TeamMembership: { zh: '团队成员', en: 'memberships of teams' },
  LiteLLM_OrganizationTable: { zh: '组织', en: 'organisations' },
  LiteLLM_ProjectTable: { zh: '项目', en: 'projects' },
  LiteLLM_EndUserTable: { zh: '终端用户', en: 'end users' },
  LiteLLM_TagTable: { zh: '标签', en: 'tags' },
  LiteLLM_GuardrailsTable: { zh: '护栏', en: 'guardrails' },
  LiteLLM_MCPServerTable: { zh: 'MCP 服务器', en: 'MCP servers' },
  LiteLLM_DeprecatedVerificationToken: { zh: '轮换后仍有效的密钥', en: 'rotated keys that still work' },
  LiteLLM_ObjectPermissionTable: { zh: '对象权限', en: 'permissions on objects' },
};

export function isLiteLlm({ tables: found }: SourceDatabase): boolean {
  return found.has(tables.users) && found.has(tables.keys);
}

export async function openLiteLlm(parts: LiteLlmParts): Promise<ImportProgram> {
  const { source, config, environment, saltKey, now, secrets, quotaPerUnit } = parts;
  const plain = createParamReader({ environment, isSealed: false });
  const sealed = createParamReader({ environment, saltKey, isSealed: true });
  const configured = withCredentials(deploymentsOf(config, plain), credentialsOf(config));
  const stored = source === null ? [] : withCredentials(await storedDeployments(source, sealed), await storedCredentials(source));
  const deployments = [...configured, ...stored];
  const prices = mapPrices(deployments);
  const models = new Set(deployments.map(({ modelName }) => modelName));
  const keys = source === null ? null : await keyMapping(source, { now, quotaPerUnit, models, deployments });
  async function* rows(kind: keyof Drafts, request: PageOptions): AsyncGenerator<ProgramPage<Drafts[keyof Drafts]>> {
    if (kind === 'channel') yield page(deployments.map((deployment) => mapDeployment(deployment, { now, secrets })));
    if (source === null || keys === null) return;
    const taken = new Set<string>();
    if (kind === 'user') yield* mapped(source, tables.users, 'user_id', (row) => mapLiteLlmUser(row, { now, quotaPerUnit }, taken));
    if (kind === 'token') yield* mapped(source, tables.keys, 'token', (row) => mapLiteLlmKey(row, keys));
    if (kind === 'log') yield* logPages(source, quotaPerUnit, request);
  }
  const retries = retriesOf(config);
  return {
    program: 'litellm',
    label: `LiteLLM${source === null ? ' configuration' : `, PostgreSQL ${source.version}`}`,
    identity: await identityOf(source),
    quotaPerUnit,
    settings: [...prices.settings, ...retries],
    groups: new Set(['default']),
    pages: typedPages(rows),
    greatestId: () => Promise.resolve(null),
    totals: (log) => totalsOf({ source, channels: deployments.length, quotaPerUnit }, log),
    notes: async () => [
      ...prices.notes,
      ...unknownSettings(config),
      ...(source === null ? [] : await tablesWithoutPlace(source, quotaPerUnit)),
    ],
  };
}

/** A page of a kind has drafts of that kind only. */
function typedPages(
  rows: (kind: keyof Drafts, request: PageOptions) => AsyncGenerator<ProgramPage<Drafts[keyof Drafts]>>,
): ImportProgram['pages'] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return ((kind: keyof Drafts, request: PageOptions = {}) => rows(kind, request)) as ImportProgram['pages'];
}

function page<Draft>(rows: readonly MappedRow<Draft>[]): ProgramPage<Draft> {
  return { rows, first: rows[0]?.oldId ?? '', position: rows.at(-1)?.oldId ?? '' };
}

async function* mapped<Draft>(
  source: SourceDatabase,
  table: string,
  key: string,
  map: (row: SourceRow) => MappedRow<Draft>,
): AsyncGenerator<ProgramPage<Draft>> {
  for await (const rows of pagesOf(source, table, { key })) yield page(rows.map((row) => safely(row, key, map)));
}

function safely<Draft>(row: SourceRow, key: string, map: (row: SourceRow) => MappedRow<Draft>): MappedRow<Draft> {
  try {
    return map(row);
  } catch (failure) {
    if (!(failure instanceof AmountError)) throw failure;
    return leftOut(text(row, key), text(row, key).slice(0, 12), { reason: 'amount_unreadable' });
  }
}

async function* logPages(
  source: SourceDatabase,
  quotaPerUnit: number,
  { after, before, since }: PageOptions,
): AsyncGenerator<ProgramPage<Drafts['log']>> {
  const bounds = {
    key: 'startTime',
    tie: 'request_id',
    limit: pageSize,
    ...(after === undefined ? {} : { after: pairOf(after) }),
    ...(before === undefined ? {} : { before: pairOf(before) }),
    ...(since === undefined ? {} : { since: { column: 'startTime', value: timeText(since) } }),
  };
  const position = (row: SourceRow | undefined) => JSON.stringify([text(row ?? {}, 'startTime'), text(row ?? {}, 'request_id')]);
  for await (const rows of pagesOf(source, tables.log, bounds)) {
    yield {
      rows: rows.map((row) => safely(row, 'request_id', (one) => mapSpendLog(one, { quotaPerUnit }))),
      first: position(rows[0]),
      position: position(rows.at(-1)),
    };
  }
}

function pairOf(position: string): [string, string] {
  const pair: unknown = JSON.parse(position);
  return Array.isArray(pair) ? [String(pair[0]), String(pair[1])] : ['', ''];
}

/** As a timestamp without zone, in UTC. */
function timeText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('T', ' ').replace('Z', '');
}

function deploymentsOf(config: LiteLlmParts['config'], read: ParamReader): Deployment[] {
  const list = config?.['model_list'];
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown): Deployment[] => {
    const fields = objectOf(entry);
    const params = objectOf(fields?.['litellm_params']);
    const modelName = fields?.['model_name'];
    if (params === null || typeof modelName !== 'string' || modelName === '') return [];
    const info = objectOf(fields?.['model_info']) ?? {};
    // In old files limits stand next to the parameters.
    const beside = Object.fromEntries(Object.entries(fields ?? {}).filter(([key]) => key === 'rpm' || key === 'tpm'));
    const id = typeof info['id'] === 'string' && info['id'] !== '' ? info['id'] : idOf(modelName, params);
    return [{ id, modelName, params: { ...beside, ...params }, info, isBlocked: false, read }];
  });
}

/** Fields that distinguish deployments of one name. */
function idOf(modelName: string, params: Readonly<Record<string, unknown>>): string {
  const parts = [modelName, params['model'], params['api_base'], params['api_key'], params['aws_region_name'], params['vertex_location']];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

async function storedDeployments(source: SourceDatabase, read: ParamReader): Promise<Deployment[]> {
  if (!source.tables.has(tables.models)) return [];
  const rows = await allRows(source, tables.models, { key: 'model_id' });
  return rows.map((row) => ({
    id: text(row, 'model_id'),
    modelName: oneLine(text(row, 'model_name'), 255),
    params: jsonObject(row, 'litellm_params') ?? {},
    info: jsonObject(row, 'model_info') ?? {},
    isBlocked: flag(row, 'blocked'),
    read,
  }));
}

function credentialsOf(config: LiteLlmParts['config']): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
  const list = config?.['credential_list'];
  const found = new Map<string, Readonly<Record<string, unknown>>>();
  for (const entry of Array.isArray(list) ? list.map(objectOf) : []) {
    const name = entry?.['credential_name'];
    const values = objectOf(entry?.['credential_values']);
    if (typeof name === 'string' && values !== null) found.set(name, values);
  }
  return found;
}

async function storedCredentials(source: SourceDatabase): Promise<ReturnType<typeof credentialsOf>> {
  if (!source.tables.has('LiteLLM_CredentialsTable')) return new Map();
  const rows = await allRows(source, 'LiteLLM_CredentialsTable', { key: 'credential_name' });
  return new Map(rows.map((row) => [text(row, 'credential_name'), jsonObject(row, 'credential_values') ?? {}]));
}

function withCredentials(deployments: readonly Deployment[], credentials: ReturnType<typeof credentialsOf>): Deployment[] {
  return deployments.map((deployment) => {
    const values = credentials.get(deployment.read.text(deployment.params['litellm_credential_name']));
    deployment.read.takeMissing();
    return values === undefined ? deployment : { ...deployment, params: { ...values, ...deployment.params } };
  });
}

async function keyMapping(
  source: SourceDatabase,
  { now, quotaPerUnit, models, deployments }: Pick<KeyMapping, 'now' | 'quotaPerUnit' | 'models'> & { deployments: readonly Deployment[] },
): Promise<KeyMapping> {
  const byId = async (table: string, key: string) =>
    new Map(
      source.tables.has(table) ? (await allRows(source, table, { key })).map((row): [string, SourceRow] => [text(row, key), row]) : [],
    );
  const accessGroups = new Map<string, string[]>();
  for (const { modelName, info } of deployments) {
    const groups = Array.isArray(info['access_groups']) ? info['access_groups'] : [];
    for (const group of groups.filter((one) => typeof one === 'string'))
      accessGroups.set(group, [...(accessGroups.get(group) ?? []), modelName]);
  }
  const modelsOfUser = new Map<string, string[]>();
  for await (const rows of pagesOf(source, tables.users, { key: 'user_id' })) {
    for (const row of rows) if (textList(row, 'models').length > 0) modelsOfUser.set(text(row, 'user_id'), textList(row, 'models'));
  }
  return {
    now,
    quotaPerUnit,
    models,
    accessGroups,
    budgets: await byId('LiteLLM_BudgetTable', 'budget_id'),
    teams: await byId('LiteLLM_TeamTable', 'team_id'),
    modelsOfUser,
  };
}

/** Of the account that was made first; an installation without a database has no rows that could be confused. */
async function identityOf(source: SourceDatabase | null): Promise<string> {
  if (source === null) return 'litellm-config';
  const [first] = await source.page(tables.users, { key: 'created_at', tie: 'user_id', limit: 1 });
  const marks = ['litellm', text(first ?? {}, 'user_id'), text(first ?? {}, 'created_at')];
  return `litellm-${createHash('sha256').update(marks.join('\n')).digest('hex').slice(0, 12)}`;
}

/** Users and keys have fractions of quota units, which are rounded row by row. */
async function totalsOf(
  { source, channels, quotaPerUnit }: { source: SourceDatabase | null; channels: number; quotaPerUnit: number },
  { since, first, last }: LogRange,
): Promise<SourceTotals> {
  const none = { user: 0, token: 0, channel: channels, code: 0, order: 0, task: 0, log: 0 };
  if (source === null) return { counts: none, sums: {} };
  const bounds: TotalFilter[] = [
    ...(since === undefined ? [] : [{ column: 'startTime', is: 'gte', value: timeText(since) } as const]),
    ...(first === undefined ? [] : [{ column: 'startTime', is: 'gte', value: pairOf(first)[0] } as const]),
    ...(last === undefined ? [] : [{ column: 'startTime', is: 'lte', value: pairOf(last)[0] } as const]),
  ];
  const users = await source.total(tables.users, { sum: ['spend'] });
  const tokens = await source.total(tables.keys);
  const logs = source.tables.has(tables.log)
    ? await source.total(tables.log, { sum: ['spend'], where: bounds })
    : { count: 0, sums: { spend: 0 } };
  return {
    counts: { ...none, user: users.count, token: tokens.count, log: logs.count },
    sums: { user_used: quotaOf(users.sums['spend'] ?? 0, quotaPerUnit), log_charged: quotaOf(logs.sums['spend'] ?? 0, quotaPerUnit) },
    slack: 1 + Math.ceil(Math.max(users.count, logs.count) / 2),
  };
}

function retriesOf(config: LiteLlmParts['config']): MappedSetting[] {
  const retries = objectOf(config?.['router_settings'])?.['num_retries'] ?? objectOf(config?.['litellm_settings'])?.['num_retries'];
  return typeof retries === 'number' && Number.isInteger(retries) && retries >= 0 && retries <= 100
    ? [{ key: 'RetryTimes', text: String(retries) }]
    : [];
}

/** Names of sections and of what stands in them, never values. */
function unknownSettings(config: LiteLlmParts['config']): NamedNote[] {
  const sections = Object.entries(config ?? {}).filter(([name]) => name !== 'model_list' && name !== 'credential_list');
  return sections.flatMap(([section, value]) => {
    const names = Object.keys(objectOf(value) ?? {}).filter((name) => name !== 'num_retries');
    const all = names.length === 0 ? [section] : names.map((name) => `${section}.${name}`);
    return all.map((name): NamedNote => ({
      kind: 'setting',
      name: oneLine(name, 80),
      note: { reason: 'setting_unknown' },
      isLeftOut: true,
    }));
  });
}

async function tablesWithoutPlace(source: SourceDatabase, quotaPerUnit: number): Promise<NamedNote[]> {
  const notes: NamedNote[] = [];
  for (const [table, detail] of Object.entries(counted)) {
    if (!source.tables.has(table)) continue;
    const { count, sums } = await source.total(table, { sum: ['spend'] });
    const spent = quotaOf(sums['spend'] ?? 0, quotaPerUnit);
    if (count > 0)
      notes.push({ kind: 'other', name: table, note: { reason: 'table_no_place', detail, quota: spent }, isLeftOut: true, rows: count });
  }
  for await (const rows of pagesOf(source, 'LiteLLM_Config', { key: 'param_name' })) {
    for (const row of rows)
      notes.push({ kind: 'setting', name: trimmed(row, 'param_name'), note: { reason: 'setting_unknown' }, isLeftOut: true });
  }
  return notes;
}
