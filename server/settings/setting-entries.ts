// Entries of a save of settings in the audit log. The differences are stored once, in the history of settings (`option_changes`); the entries refer to them.
import { z } from 'zod';
import type { AuditKind } from '#shared/audit-spec.ts';
import type { SettingKey } from '#shared/settings.ts';
import { type Actor, currentActor } from '#server/audit-log/actor.ts';
import { auditEntry, newMark } from '#server/audit-log/entries.ts';
import type { AuditEntryRecord } from '#server/db/records/audit-entry.ts';
import type { OptionChangeRecord } from '#server/db/records/option-change.ts';
import { groupSettings } from '#server/settings/group-moves.ts';
import { priceSettings } from '#server/settings/price-maps.ts';

/** Who saves, with the mark and the time of the entries (milliseconds). */
export type JournalActor = Pick<Actor, 'user' | 'by' | 'job' | 'ip' | 'userAgent' | 'requestId'> & { mark: string; at: number };

/** The current actor, at this time. */
export function actorOfSave(now: number): JournalActor {
  const { user, by, job, ip, userAgent, requestId } = currentActor();
  return { mark: newMark(now), at: now, user, by, job, ip, userAgent, requestId };
}

const StoredActor = z.object({
  mark: z.string(),
  at: z.number(),
  user: z.nullable(z.object({ id: z.number(), name: z.string(), role: z.number() })),
  by: z.enum(['session', 'access_token', 'job', 'none']),
  job: z.string(),
  ip: z.string(),
  userAgent: z.string(),
  requestId: z.string(),
});

export function journalActor(value: unknown): JournalActor | null {
  const parsed = StoredActor.safeParse(value);
  return parsed.success ? parsed.data : null;
}

/** The same entries however often they are made. */
export function settingEntries(changes: readonly OptionChangeRecord[], actor: JournalActor | null): AuditEntryRecord[] {
  if (actor === null) return [];
  return changes.map((change) => ({
    ...auditEntry(
      { id: `${actor.mark}-setting-${change.id}`, at: actor.at, actor },
      { kind: kindOf(change.key), action: 'changed', id: change.key, name: change.key },
    ),
    setting_change: change.id,
  }));
}

const groupKeys: ReadonlySet<string> = new Set(groupSettings);
const priceKeys: ReadonlySet<string> = new Set([
  ...priceSettings.map(([, key]) => key),
  'ToolPrice',
  'FineTuningPrice',
] satisfies SettingKey[]);

function kindOf(key: string): AuditKind {
  return groupKeys.has(key) ? 'group' : priceKeys.has(key) ? 'price' : 'setting';
}
