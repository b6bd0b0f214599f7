// A token of one-api and new-api.
import { allowedAddresses } from '#shared/allowed-addresses.ts';
import { AppError } from '#shared/errors.ts';
import { tidyTokenName, tokenNameLimit, TokenStatus } from '#shared/tokens.ts';
import { checkAllowedAddresses } from '#server/features/tokens/allowed-addresses.ts';
import type { Secrets } from '#server/secrets/secrets.ts';
import { importedKeyFields } from '#server/tokens/imported-keys.ts';
import { leftOut, type MappedRow, type RowNote, type TokenDraft } from '../mapped-row.ts';
import type { SourceRow } from '../sources/source-database.ts';
import { flag, integer, isDeleted, json, jsonObject, line, names, oneLine, quota, text, trimmed } from '../sources/row-values.ts';

export interface TokenMapping {
  /** Unix seconds. */
  now: number;
  secrets: Secrets;
  program: 'one-api' | 'new-api';
}

/** Longest key that the token gate accepts. */
const longestKey = 256;

export function mapToken(row: SourceRow, mapping: TokenMapping): MappedRow<TokenDraft> {
  const oldId = text(row, 'id');
  const notes: RowNote[] = [];
  const written = tidyTokenName(text(row, 'name').toWellFormed());
  const cut = oneLine(written, tokenNameLimit);
  if (cut !== written) notes.push({ reason: 'name_cut' });
  const name = cut === '' ? `#${oldId}` : cut;
  const isUnlimited = flag(row, 'unlimited_quota');
  // An unlimited token's balance runs down without a meaning.
  const money = { amount: isUnlimited ? 0 : quota(row, 'remain_quota'), used: quota(row, 'used_quota') };
  if (isDeleted(row)) return leftOut(oldId, name, { reason: 'deleted' }, money);
  const meaningless = isUnlimited ? quota(row, 'remain_quota') : 0;
  if (meaningless !== 0) notes.push({ reason: 'unlimited', quota: meaningless });
  const key = bareKey(trimmed(row, 'key'));
  if (key === '' || key.length > longestKey) return leftOut(oldId, name, { reason: 'key_missing' }, money);
  const limits = modelLimits(row, mapping.program);
  const addresses = addressesOf(row, mapping.program, notes);
  const created = integer(row, 'created_time');
  const accessed = integer(row, 'accessed_time');
  const isEnabled =
    addresses !== null &&
    [TokenStatus.enabled, TokenStatus.expired, TokenStatus.exhausted].some((one) => one === integer(row, 'status', 1));
  for (const part of unplacedParts(row)) notes.push({ reason: 'no_place', detail: part });
  return {
    oldId,
    name,
    notes,
    money,
    draft: {
      userRef: text(row, 'user_id'),
      name,
      ...importedKeyFields(mapping, key),
      // Expired and exhausted follow from expiry and balance.
      status: isEnabled ? TokenStatus.enabled : TokenStatus.disabled,
      created_time: created > 0 ? created : mapping.now,
      accessed_time: accessed > 0 ? accessed : created > 0 ? created : mapping.now,
      expired_time: expiryOf(integer(row, 'expired_time', -1)),
      unlimited_quota: isUnlimited,
      ...limits,
      allow_ips: addresses ?? '',
      ...groupFields(row),
      DeletedAt: null,
      revision: 1,
    },
  };
}

/** The key as callers send it, without `sk-`. */
function bareKey(stored: string): string {
  return stored.startsWith('sk-') ? stored.slice(3) : stored;
}

/** 0 is never as well: neither program accepts it, but old rows hold it. */
function expiryOf(time: number): number {
  return time <= 0 ? -1 : time;
}

function modelLimits(row: SourceRow, program: TokenMapping['program']): Pick<TokenDraft, 'model_limits_enabled' | 'model_limits'> {
  if (program === 'one-api') {
    const models = names(text(row, 'models')).join(',');
    return { model_limits_enabled: models !== '', model_limits: models };
  }
  return { model_limits_enabled: flag(row, 'model_limits_enabled'), model_limits: names(text(row, 'model_limits')).join(',') };
}

/** Addresses as they are stored; null if one cannot be read: dropping it would open the token. */
function addressesOf(row: SourceRow, program: TokenMapping['program'], notes: RowNote[]): string | null {
  const given = text(row, program === 'one-api' ? 'subnet' : 'allow_ips');
  // new-api throws commas and blanks away, within an address as well.
  const entries = program === 'one-api' ? allowedAddresses(given) : given.split(/[\r\n]/).map((entry) => entry.replaceAll(/[\s,]/g, ''));
  try {
    return checkAllowedAddresses(entries.join('\n'));
  } catch (failure) {
    if (!(failure instanceof AppError)) throw failure;
    notes.push({ reason: 'addresses_unreadable' });
    return null;
  }
}

/** A group without a ratio is refused by both programs, so it stays. */
function groupFields(row: SourceRow): Pick<TokenDraft, 'group' | 'auto_groups' | 'cross_group_retry'> {
  const group = line(row, 'group', 64);
  const list = json(row, 'auto_groups');
  const groups = Array.isArray(list) ? names(list.map(String).join(',')).join(',') : '';
  return {
    group,
    ...(group === 'auto' && groups !== '' ? { auto_groups: groups } : {}),
    ...(group === 'auto' && flag(row, 'cross_group_retry') ? { cross_group_retry: true } : {}),
  };
}

function unplacedParts(row: SourceRow): string[] {
  const parts: string[] = [];
  if (trimmed(row, 'backup_group') !== '') parts.push('backup_group');
  for (const key of Object.keys(jsonObject(row, 'setting') ?? {})) parts.push(`setting.${oneLine(key, 40)}`);
  return parts;
}
