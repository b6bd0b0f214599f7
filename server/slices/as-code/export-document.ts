// Exports the differences from a new installation as a file. Secrets are replaced by references, whose values an apply needs.
import { stringify } from 'yaml';
import { ChannelStatus } from '#shared/channels.ts';
import { commaList } from '#shared/comma-list.ts';
import { isSecret } from '#shared/settings.ts';
import { TokenStatus } from '#shared/tokens.ts';
import { budgetsOf, rateLimitsOf } from '#server/accounts/stored-limits.ts';
import { plainEntries } from '#server/audit-log/audited-fields.ts';
import type { AppContext } from '#server/context.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import type { ChannelKeyRecord } from '#server/db/records/channel-key.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import { balanceOf } from '#server/money/account.ts';
import { defaultText } from '#server/settings/defaults.ts';
import { defaultKeyWeight } from '#server/exchange/keys/new-key.ts';
import { finishOptionWrites } from '#server/settings/option-writes.ts';
import { describedSettings, documentVersion, settingValue } from './document.ts';
import { groupFields, type MapField, priceFields } from './map-fields.ts';
import { typeName } from './plan-channels.ts';
import { canonical, isSameText, objectOf, textOf } from './entry-values.ts';

export interface Exported {
  text: string;
  /** Names whose values an apply needs. */
  references: string[];
}

export interface ExportOptions {
  /** Usernames whose tokens are exported, in addition to those that files manage. */
  tokensOf?: readonly string[];
  /** Ids of owners whose tokens the reader may not see are left out. */
  maySee?(userId: number, role: number): boolean;
}

const heading = `# yaml-language-server: $schema=https://tidegate.example/api/as_code/schema.json
# Secrets are references: give their values in the environment, or write file:PATH.
`;

export async function exportDocument(context: AppContext, options: ExportOptions = {}): Promise<Exported> {
  await finishOptionWrites(context);
  const rows = new Map((await context.db.collection('options').find({})).map((row) => [row.id, row]));
  const names = new References();
  const settings: Record<string, unknown> = {};
  for (const key of describedSettings) {
    const text = textOf(rows, key, context);
    if (isSecret(key)) {
      if ((rows.get(key)?.value ?? '') !== '') settings[key] = names.reference('setting', key);
    } else if (!isSameText(key, text, defaultText(key))) settings[key] = plain(settingValue(key, text));
  }
  const mapsOf = <Value>(fields: readonly MapField<Value>[]) =>
    fields.map(({ key, field }) => ({ field, now: objectOf(textOf(rows, key, context)), initial: objectOf(defaultText(key)) }));
  const document = {
    version: documentVersion,
    settings,
    groups: exportGroups(mapsOf(groupFields)),
    prices: exportPrices(mapsOf(priceFields)),
    channels: await exportChannels(context, names),
    tokens: await exportTokens(context, names, options),
  };
  const filled = Object.fromEntries(
    Object.entries(document).filter(([, part]) => typeof part !== 'object' || Object.keys(part).length > 0),
  );
  // Long texts and keys are not folded, and equal objects not joined: a difference of two exports shows what changed.
  return { text: heading + stringify(filled, { version: '1.2', lineWidth: 0, aliasDuplicateObjects: false }), references: names.all() };
}

/** Gives every secret a name of its own. */
class References {
  readonly #names = new Set<string>();

  reference(...path: (string | number)[]): string {
    const base = ['TIDEGATE', ...path]
      .join('_')
      .toUpperCase()
      .replace(/[^A-Z0-9]+/g, '_')
      .replace(/_$/, '');
    let name = base;
    for (let number = 2; this.#names.has(name); number += 1) name = `${base}_${number}`;
    this.#names.add(name);
    return `\${${name}}`;
  }

  all(): string[] {
    return [...this.#names];
  }
}

interface MapContent {
  field: string;
  now: Record<string, unknown>;
  initial: Record<string, unknown>;
}

function entryOf(maps: readonly MapContent[], name: string, which: 'now' | 'initial'): Record<string, unknown> {
  return Object.fromEntries(
    maps.filter((map) => map[which][name] !== undefined).map((map): [string, unknown] => [map.field, plain(map[which][name])]),
  );
}

function exportGroups(maps: readonly MapContent[]): Record<string, unknown> {
  const [ratios] = maps;
  const groups: Record<string, unknown> = {};
  for (const name of Object.keys(ratios?.now ?? {})) groups[name] = entryOf(maps, name, 'now');
  for (const name of Object.keys(ratios?.initial ?? {})) if (groups[name] === undefined) groups[name] = null;
  return groups;
}

/** Models whose prices are other than the built-in ones; without any if those were removed. */
function exportPrices(maps: readonly MapContent[]): Record<string, unknown> {
  const names = new Set(maps.flatMap(({ now, initial }) => [...Object.keys(now), ...Object.keys(initial)]));
  const changed = [...names].filter((name) => canonical(entryOf(maps, name, 'now')) !== canonical(entryOf(maps, name, 'initial')));
  return Object.fromEntries(changed.toSorted().map((name) => [name, entryOf(maps, name, 'now')]));
}

async function exportChannels({ db }: AppContext, names: References): Promise<unknown[]> {
  const keys = Map.groupBy(await db.collection('channel_keys').find({}, { sort: [['id', 1]] }), ({ channel_id: id }) => id);
  const channels = await db.collection('channels').find({});
  return channels
    .toSorted((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : one.id - other.id))
    .map((channel) => exportChannel(channel, keys.get(channel.id) ?? [], names));
}

function exportChannel(channel: ChannelRecord, keys: readonly ChannelKeyRecord[], names: References): Record<string, unknown> {
  const { name } = channel;
  const key = () => names.reference('channel', name, 'key');
  const [first] = keys;
  const hasSeveral = keys.length > 1 || (first !== undefined && Object.keys(keyOptions(first)).length > 0);
  return withoutEmpty({
    name: escaped(name),
    type: typeName(channel.type),
    ...(hasSeveral ? { keys: keys.map((row) => ({ key: key(), ...keyOptions(row) })) } : { key: key() }),
    ...(channel.status === ChannelStatus.disabledByHand ? { status: 'disabled' } : {}),
    models: commaList(channel.models),
    groups: commaList(channel.group),
    weight: channel.weight,
    priority: channel.priority,
    // A query may hold a key.
    base_url: channel.base_url.includes('?') ? names.reference('channel', name, 'base_url') : escaped(channel.base_url),
    other: escaped(channel.other),
    openai_organization: escaped(channel.openai_organization),
    test_model: escaped(channel.test_model),
    tag: escaped(channel.tag),
    remark: escaped(channel.remark ?? ''),
    max_input_tokens: channel.max_input_tokens,
    ...(channel.auto_ban === 0 ? { auto_ban: false } : {}),
    model_mapping: plain(objectOf(channel.model_mapping)),
    status_code_mapping: plain(objectOf(channel.status_code_mapping)),
    setting: exportSetting(channel, names),
    param_override: hidden(objectOf(channel.param_override), (path) => names.reference('channel', name, ...path)),
  });
}

/** Without an empty one of `auto_ban`, which is false. */
function withoutEmpty(fields: Record<string, unknown>): Record<string, unknown> {
  const isEmpty = (value: unknown) =>
    value === '' || value === 0 || value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
}

function keyOptions({ weight, most_parallel, note }: ChannelKeyRecord): Record<string, unknown> {
  return withoutEmpty({ weight: weight === defaultKeyWeight ? 0 : weight, most_parallel, note: escaped(note) });
}

/** Values of headers, credentials of a proxy and members that are not known may be secret. */
function exportSetting({ name, setting }: ChannelRecord, names: References): unknown {
  const plainNames = plainEntries['channels.setting'];
  const known: ReadonlySet<string> = new Set(['system_prompt', 'system_prompt_override', 'pass_through_body_enabled']);
  return Object.fromEntries(
    Object.entries(objectOf(setting)).map(([member, value]): [string, unknown] => {
      if (plainNames?.has(member) === true || known.has(member)) return [member, plain(value)];
      if (member === 'proxy' && typeof value === 'string' && !value.includes('@')) return [member, plain(value)];
      return [member, referenced(value, (path) => names.reference('channel', name, member, ...path))];
    }),
  );
}

type MakeReference = (path: string[]) => string;

/** Every text becomes a reference. */
function referenced(value: unknown, reference: MakeReference, path: string[] = []): unknown {
  if (typeof value === 'string') return value === '' ? '' : reference(path);
  if (Array.isArray(value)) return value.map((one, index) => referenced(one, reference, [...path, String(index)]));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, referenced(one, reference, [...path, name])]));
}

const secretName = /key|token$|secret|passw|auth|credential|cookie/i;

/** Texts become references if their name is that of a secret. */
function hidden(value: unknown, reference: MakeReference, path: string[] = []): unknown {
  if (typeof value === 'string') return value !== '' && path.some((name) => secretName.test(name)) ? reference(path) : escaped(value);
  if (Array.isArray(value)) return value.map((one, index) => hidden(one, reference, [...path, String(index)]));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hidden(one, reference, [...path, name])]));
}

async function exportTokens(
  { db }: AppContext,
  names: References,
  { tokensOf = [], maySee = () => true }: ExportOptions,
): Promise<unknown[]> {
  const owners = await db.collection('users').find({ username: { in: [...tokensOf] }, DeletedAt: null });
  const found = await db.collection('tokens').find({ managed_by: { gt: '' }, DeletedAt: null });
  for (const { id } of owners) found.push(...(await db.collection('tokens').find({ user_id: id, DeletedAt: null })));
  const tokens = [...new Map(found.map((token) => [token.id, token])).values()];
  const users = new Map(
    (await db.collection('users').find({ id: { in: [...new Set(tokens.map(({ user_id: id }) => id))] } })).map((user) => [user.id, user]),
  );
  return tokens
    .flatMap((token) => {
      const owner = users.get(token.user_id);
      return owner === undefined || !maySee(owner.id, owner.role) ? [] : [{ user: owner.username, token }];
    })
    .toSorted((one, other) => compare(one.user, other.user) || compare(one.token.name, other.token.name))
    .map(({ user, token }) => exportToken(token, user, names));
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

function exportToken(token: TokenRecord, user: string, names: References): Record<string, unknown> {
  const balance = Math.max(0, balanceOf(token));
  // A key that was made for it stays with its owner.
  const isOwnKey = token.managed?.left.includes('key') === true;
  return withoutEmpty({
    user: escaped(user),
    name: escaped(token.name),
    ...(isOwnKey ? {} : { key: names.reference('token', user, token.name, 'key') }),
    ...(token.status === TokenStatus.disabled ? { status: 'disabled' } : {}),
    initial_quota: balance,
    ...(token.unlimited_quota ? { unlimited_quota: true } : {}),
    ...(token.expired_time === -1 ? {} : { expired_time: token.expired_time }),
    models: token.model_limits_enabled ? commaList(token.model_limits) : [],
    allow_ips: token.allow_ips.split('\n').filter((line) => line !== ''),
    group: token.group,
    auto_groups: commaList(token.auto_groups ?? ''),
    ...(token.cross_group_retry === true ? { cross_group_retry: true } : {}),
    session_budget: token.session_budget ?? 0,
    rate_limits: rateLimitsOf(token),
    budgets: budgetsOf(token),
  });
}

/** A literal `${` is written `$${`. */
function escaped(text: string): string {
  return text.replaceAll('${', '$${');
}

/** The same with all of its texts escaped, and with prototypes. */
function plain(value: unknown): unknown {
  if (typeof value === 'string') return escaped(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]));
}
