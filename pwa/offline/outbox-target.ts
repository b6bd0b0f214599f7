// Where a queued edit goes: an option of the installation, or a setting of the signed-in person.
import { accountApi, userSettingOf } from '#shared/account.ts';
import { Option, optionApi } from '#shared/options.ts';
import { User } from '#shared/users.ts';
import { call } from '#pwa/api/call.ts';
import type { OptionState, OutboxEntry } from './outbox-entry.ts';

/** The key of the own low-water mark; its value is an amount of quota as text, empty: none. */
export const lowWaterKey = 'quota_warning_threshold';

export async function saveEdit({ optionKey, mine, base }: OutboxEntry): Promise<void> {
  const { revision } = base;
  if (optionKey === lowWaterKey) {
    await call(accountApi.saveSetting, { body: { notify_type: 'email', quota_warning_threshold: Number(mine), revision } });
  } else await call(optionApi.save, { body: { key: optionKey, value: mine, revision } });
}

/** What the server has instead, from the data of a `revision_conflict`. */
export function theirState({ optionKey }: OutboxEntry, data: unknown): OptionState | undefined {
  if (optionKey === lowWaterKey) {
    const user = User.safeParse(data);
    return user.success ? lowWaterState(user.data) : undefined;
  }
  const current = Option.safeParse(data);
  if (!current.success) return undefined;
  const { value, revision, updated_by: changedBy, updated_at: changedAt } = current.data;
  return {
    value,
    revision,
    ...(changedBy === undefined ? {} : { changedBy }),
    ...(changedAt === undefined ? {} : { changedAt }),
  };
}

export function lowWaterState(user: User): OptionState {
  return { value: String(userSettingOf(user).quota_warning_threshold ?? ''), revision: user.revision };
}
