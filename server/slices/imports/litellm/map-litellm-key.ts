// A virtual key of LiteLLM's database, of which only the SHA-256 is known.
import { tidyTokenName, tokenNameLimit, TokenStatus } from '#shared/tokens.ts';
import { sha256KeyFields } from '#server/tokens/imported-keys.ts';
import { leftOut, type MappedRow, type RowNote, type TokenDraft } from '../mapped-row.ts';
import { flag, jsonObject, oneLine, text, trimmed, isFilled } from '../sources/row-values.ts';
import type { SourceRow } from '../sources/source-database.ts';
import { dollars, quotaOf, textList, utcSeconds } from './dollars.ts';

export interface KeyMapping {
  /** Unix seconds. */
  now: number;
  quotaPerUnit: number;
  /** Names of the public models. */
  models: ReadonlySet<string>;
  /** Models by access group. */
  accessGroups: ReadonlyMap<string, readonly string[]>;
  budgets: ReadonlyMap<string, SourceRow>;
  teams: ReadonlyMap<string, SourceRow>;
  /** Models of a user; empty for all. */
  modelsOfUser: ReadonlyMap<string, readonly string[]>;
}

const unplaced = [
  'tpm_limit',
  'rpm_limit',
  'tpd_limit',
  'max_parallel_requests',
  'model_max_budget',
  'aliases',
  'allowed_routes',
  'router_settings',
  'budget_limits',
  'budget_fallbacks',
  'auto_rotate',
  'organization_id',
  'project_id',
] as const;
const unplacedMetadata = ['guardrails', 'tags', 'model_rpm_limit', 'model_tpm_limit'] as const;

export function mapLiteLlmKey(row: SourceRow, mapping: KeyMapping): MappedRow<TokenDraft> {
  const { now, quotaPerUnit, budgets, teams } = mapping;
  const oldId = text(row, 'token').toLowerCase();
  const written = tidyTokenName(trimmed(row, 'key_alias') || trimmed(row, 'key_name'));
  const name = oneLine(written, tokenNameLimit) || 'key';
  const spend = dollars(row, 'spend') ?? 0;
  const own = dollars(row, 'max_budget') ?? dollars(budgets.get(text(row, 'budget_id')) ?? {}, 'max_budget');
  const ofTeam = own === null ? teamRest(teams.get(trimmed(row, 'team_id'))) : null;
  const rest = own === null ? ofTeam : own - spend;
  const money = {
    amount: rest === null ? 0 : quotaOf(rest, quotaPerUnit),
    used: quotaOf(Math.max(spend, dollars(row, 'total_spend') ?? 0), quotaPerUnit),
  };
  const kind = trimmed(row, 'key_type');
  if (trimmed(row, 'team_id') === 'litellm-dashboard') return leftOut(oldId, name, { reason: 'console_session' }, money);
  if (kind === 'management' || kind === 'read_only') return leftOut(oldId, name, { reason: 'key_kind', detail: kind }, money);
  if (!/^[0-9a-f]{64}$/.test(oldId)) return leftOut(oldId, name, { reason: 'key_missing' }, money);
  const notes: RowNote[] = [];
  if (rest === null) notes.push({ reason: 'unlimited' });
  if (ofTeam !== null) notes.push({ reason: 'budget_of_team', quota: money.amount });
  if (name !== written) notes.push({ reason: 'name_cut' });
  const owner = ownerOf(row, teams, notes);
  if (owner === '') return leftOut(oldId, name, { reason: 'owner_missing' }, money);
  const duration = trimmed(row, 'budget_duration') || trimmed(budgets.get(text(row, 'budget_id')) ?? {}, 'budget_duration');
  if (duration !== '' && own !== null) notes.push({ reason: 'budget_window', detail: duration });
  for (const column of unplaced) if (isFilled(row[column])) notes.push({ reason: 'limit_no_place', detail: column });
  const metadata = jsonObject(row, 'metadata') ?? {};
  for (const key of unplacedMetadata) if (isFilled(metadata[key])) notes.push({ reason: 'limit_no_place', detail: key });
  const limits = modelsOf(row, owner, mapping);
  if (limits === null) notes.push({ reason: 'models_no_place', detail: oneLine(textList(row, 'models').join(','), 80) });
  const created = utcSeconds(row, 'created_at') ?? now;
  return {
    oldId,
    name,
    notes,
    money,
    draft: {
      userRef: owner,
      name,
      ...sha256KeyFields(oldId, trimmed(row, 'key_name').slice(-4)),
      status: limits === null || flag(row, 'blocked') ? TokenStatus.disabled : TokenStatus.enabled,
      created_time: created,
      accessed_time: utcSeconds(row, 'last_active') ?? created,
      expired_time: utcSeconds(row, 'expires') ?? -1,
      unlimited_quota: rest === null,
      model_limits_enabled: limits !== null && limits.length > 0,
      model_limits: limits?.join(',') ?? '',
      allow_ips: '',
      group: '',
      DeletedAt: null,
      revision: 1,
    },
  };
}

/** What is left of a team's budget in dollars, which its keys have in common: without a budget of its own, a key can spend that at most. Null for no limit. */
function teamRest(team: SourceRow | undefined): number | null {
  const budget = team === undefined ? null : dollars(team, 'max_budget');
  return budget === null ? null : budget - (dollars(team ?? {}, 'spend') ?? 0);
}

/** The user of the key, or the first administrator of its team. */
function ownerOf(row: SourceRow, teams: KeyMapping['teams'], notes: RowNote[]): string {
  const user = trimmed(row, 'user_id');
  if (user !== '') return user;
  const team = teams.get(trimmed(row, 'team_id'));
  if (team === undefined) return '';
  const members = Array.isArray(team['members_with_roles']) ? team['members_with_roles'] : [];
  const ids = ['admin', ''].flatMap((role) => members.flatMap((member: unknown) => idOf(member, role)));
  const alias = oneLine(trimmed(team, 'team_alias'), 40);
  if (ids[0] !== undefined)
    notes.push({ reason: 'owner_chosen', detail: { zh: `团队 ${alias} 的第一位管理员`, en: `the first administrator of ${alias}` } });
  return ids[0] ?? '';
}

/** @param role of the member; empty for any */
function idOf(member: unknown, role: string): string[] {
  if (typeof member !== 'object' || member === null || !('user_id' in member) || typeof member.user_id !== 'string') return [];
  return role === '' || ('role' in member && member.role === role) ? [member.user_id] : [];
}

/** Names of models; empty for all, null if a limit cannot be expressed. */
function modelsOf(row: SourceRow, owner: string, { models, accessGroups, teams, modelsOfUser }: KeyMapping): string[] | null {
  const team = teams.get(trimmed(row, 'team_id'));
  const ofTeam = team === undefined ? undefined : textList(team, 'models');
  let limits = textList(row, 'models');
  if (limits.includes('all-team-models')) limits = ofTeam ?? [];
  if (limits.length === 0) limits = [...(ofTeam ?? modelsOfUser.get(owner) ?? [])];
  if (limits.length === 0 || limits.includes('all-proxy-models') || limits.includes('*')) return [];
  const resolved = limits.flatMap((name) => {
    if (name.endsWith('*')) return [...models].filter((model) => model.startsWith(name.slice(0, -1)));
    return accessGroups.get(name) ?? (name === 'no-default-models' ? [] : [name]);
  });
  return resolved.length === 0 ? null : [...new Set(resolved)];
}
