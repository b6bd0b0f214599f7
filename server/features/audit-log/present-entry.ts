import type { AuditChange, AuditEntry } from '#shared/audit-log.ts';
import type { AppContext } from '#server/context.ts';
import type { AuditEntryRecord } from '#server/db/records/audit-entry.ts';
import type { OptionChangeRecord } from '#server/db/records/option-change.ts';
import { auditText } from '#server/audit-log/audit-text.ts';
import { type AuditReader, maySeeOrigin } from './scan-entries.ts';

/** Changed entries of a map in one response. */
const mostEntries = 40;

/** Entries as the reader may see them. Differences of settings come from their history. */
export async function presentEntries({ db }: AppContext, entries: readonly AuditEntryRecord[], reader: AuditReader): Promise<AuditEntry[]> {
  const ids = entries.flatMap(({ setting_change: id }) => id ?? []);
  const found = ids.length === 0 ? [] : await db.collection('option_changes').find({ id: { in: ids } });
  const ofSettings = new Map(found.map((change) => [change.id, change]));
  return entries.map((entry) => {
    const setting = entry.setting_change === undefined ? undefined : ofSettings.get(entry.setting_change);
    const { changes, more } = setting === undefined ? { changes: entry.changes, more: entry.more ?? 0 } : settingChanges(setting);
    const hasOrigin = maySeeOrigin(entry, reader);
    return {
      id: entry.id,
      at: entry.at,
      actor: { user_id: userIdOf(entry.actor), name: entry.actor_name, by: entry.actor_by },
      kind: entry.kind,
      action: entry.action,
      object: entry.object,
      object_id: entry.object.slice(entry.kind.length + 1),
      name: entry.name,
      changes,
      more,
      reason: entry.reason ?? '',
      ip: hasOrigin ? entry.ip : '',
      user_agent: hasOrigin ? entry.user_agent : '',
      request_id: entry.request_id,
      count: entry.count ?? 1,
      last_at: entry.last_at ?? entry.at,
      is_unconfirmed: entry.unconfirmed === true,
    };
  });
}

function userIdOf(actor: string): number {
  return actor.startsWith('user:') ? Number(actor.slice('user:'.length)) : 0;
}

function settingChanges({ key, before, after, entries, was_set: wasSet, is_set: isSet }: OptionChangeRecord): {
  changes: AuditChange[];
  more: number;
} {
  if (wasSet !== undefined || isSet !== undefined) {
    return { changes: [{ field: key, secret: wasSet !== true ? 'set' : isSet === true ? 'replaced' : 'removed' }], more: 0 };
  }
  if (entries !== undefined) {
    const changes = entries.slice(0, mostEntries).map((entry) => valueChange(entry.name, entry.before, entry.after));
    return { changes, more: Math.max(0, entries.length - mostEntries) };
  }
  return { changes: [valueChange(key, before, after)], more: 0 };
}

function valueChange(field: string, before: string | number | undefined, after: string | number | undefined): AuditChange {
  const shown = (value: string | number) => (typeof value === 'string' ? auditText(value) : value);
  return {
    field: auditText(field),
    ...(before === undefined ? {} : { before: shown(before) }),
    ...(after === undefined ? {} : { after: shown(after) }),
  };
}
