// Refuses edits of records that a file of settings as code manages, whichever call makes them. What moves while calls are served stays free: figures,
// balances, health, and the status that the system sets.
import { AppError } from '#shared/errors.ts';
import type { AuditedName } from '#server/db/records/audit-entry.ts';
import type { ManagedMark } from '#server/db/records/managed-mark.ts';
import { isHeldByFiles } from './actor.ts';

/** Fields that a file decides. Keys of channels are renewed by the system, so `checkKeyIsFree` guards them where people change them. */
const decided: Partial<Record<AuditedName, ReadonlySet<string>>> = {
  channels: new Set([
    'type',
    'name',
    'remark',
    'openai_organization',
    'test_model',
    'status',
    'weight',
    'priority',
    'base_url',
    'other',
    'models',
    'group',
    'model_mapping',
    'status_code_mapping',
    'setting',
    'param_override',
    'auto_ban',
    'tag',
    'max_input_tokens',
    'managed',
  ]),
  tokens: new Set([
    'user_id',
    'name',
    'key_hash',
    'status',
    'expired_time',
    'unlimited_quota',
    'model_limits_enabled',
    'model_limits',
    'allow_ips',
    'group',
    'auto_groups',
    'cross_group_retry',
    'session_budget',
    'rate_limits',
    'budgets',
    'DeletedAt',
    'managed',
  ]),
};

const disabledByHand = 2;

interface Marked {
  id: number;
  name?: string;
  managed?: ManagedMark;
}

/**
 * Call before a record is changed, or removed (`after` null).
 * @throws {AppError} `managed_by_file`
 */
export function checkRecordIsFree(name: AuditedName, before: object | null, after: object | null): void {
  const fields = decided[name];
  if (fields === undefined || before === null || !isMarked(before) || !isHeldByFiles()) return;
  if (after === null) throw heldByFile(before);
  // An administrator may block a token at any time, and end that.
  const isBlock = Reflect.get(before, 'blocked_reason') !== Reflect.get(after, 'blocked_reason');
  for (const field of fields) {
    const [from, to]: unknown[] = [Reflect.get(before, field), Reflect.get(after, field)];
    if (isSame(from, to) || (field === 'status' && isBlock) || isLeft(name, before.managed, field, from, to)) continue;
    throw heldByFile(before, field);
  }
}

/** Call before a person changes a key of a channel. @throws {AppError} `managed_by_file` */
export function checkKeyIsFree(channel: Pick<Marked, 'name' | 'managed'>): void {
  if (channel.managed === undefined || channel.managed.left.includes('key') || !isHeldByFiles()) return;
  throw heldByFile(channel, 'key');
}

/** Refusal of an edit of something that a file manages. */
export function heldByFile({ name = '', managed }: Pick<Marked, 'name' | 'managed'>, field?: string): AppError {
  return new AppError('managed_by_file', { name, file: managed?.file ?? '' }, field === undefined ? {} : { field });
}

function isLeft(name: AuditedName, { left }: ManagedMark, field: string, from: unknown, to: unknown): boolean {
  // Of the other statuses, the system sets one and derives the rest.
  if (field === 'status') return left.includes('status') || (from !== disabledByHand && to !== disabledByHand);
  return name === 'tokens' && field === 'key_hash' && left.includes('key');
}

function isSame(from: unknown, to: unknown): boolean {
  const isEmpty = (value: unknown) => value === undefined || value === '' || value === 0 || value === false;
  return from === to || (isEmpty(from) && isEmpty(to));
}

function isMarked(record: object): record is Marked & { managed: ManagedMark } {
  return 'managed' in record && record.managed !== undefined && record.managed !== null;
}
