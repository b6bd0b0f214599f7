import { useTranslation } from 'react-i18next';
import type { AuditChange, AuditEntry } from '#shared/audit-log.ts';
import { channelType } from '#shared/channel-types.ts';
import { roleName } from '#shared/roles.ts';
import { isSettingKey, settings } from '#shared/settings.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';

/** Entries of the audit log in words: who, what, which field, from what to what. */
export function useAuditWords() {
  const { t, i18n } = useTranslation();
  const format = useFormat();
  const exists = (key: string): boolean => i18n.exists(key);

  function who({ actor }: AuditEntry): { name: string; note: string } {
    if (actor.by === 'job') return { name: 'Tidegate', note: t('audit.actor.automatic') };
    if (actor.user_id === 0) return { name: t('audit.actor.visitor'), note: '' };
    return { name: actor.name, note: actor.by === 'access_token' ? t('audit.actor.access_token') : '' };
  }

  /** Name of the object; of settings as their page has it, if its texts are loaded. */
  function record({ kind, name, object_id: id }: AuditEntry): string {
    if (isSettingKey(id)) return settingName(id);
    if (name !== '') return name;
    return id === '' ? t(`audit.kind.${kind}`) : `#${id}`;
  }
  function settingName(key: string): string {
    const text = `settings.option.${key.replaceAll('.', '_')}.label`;
    return exists(text) ? t(text) : key;
  }

  function field({ field: name }: AuditChange): string {
    if (isSettingKey(name)) return settingName(name);
    const [head = name, ...rest] = name.split('.');
    const text = `audit.field.${head}`;
    const label = exists(text) ? t(text) : head;
    return rest.length === 0 ? label : `${label} · ${rest.join('.')}`;
  }

  /** @param isGone there is, or was, nothing */
  function value(entry: AuditEntry, change: AuditChange, given: AuditChange['before']): string {
    if (given === undefined) return t('audit.value.none');
    if (typeof given === 'boolean') return t(given ? 'audit.value.yes' : 'audit.value.no');
    if (entry.object_id === change.field && isSettingKey(change.field)) return settingValue(change.field, String(given));
    if (change.field.endsWith('role') && exists(`audit.role.${given}`)) return t(`audit.role.${given}`);
    if (typeof given === 'string') return change.field === 'DeletedAt' ? format.dateTime(Date.parse(given) / 1000) : given;
    return numberText(entry, change.field, given);
  }
  function settingValue(key: keyof typeof settings, text: string): string {
    if (text === '') return t('audit.value.none');
    if (settings[key].kind === 'boolean') return t(text === 'true' || text === '1' ? 'audit.value.yes' : 'audit.value.no');
    return text;
  }
  function numberText({ kind }: AuditEntry, name: string, given: number): string {
    const status = `audit.status.${kind}_${given}`;
    if (name === 'status' && exists(status)) return t(status);
    if (name === 'role') return t(`audit.role.${roleName(given)}`);
    if (name === 'quota' || name === 'session_budget') return format.quota(given);
    if (name === 'quota_change') return format.quotaChange(given);
    if (name === 'expired_time' || name === 'old_key_until') return given > 0 ? format.dateTime(given) : t('audit.value.never');
    if (kind === 'channel' && name === 'type') return channelType(given)?.name ?? format.count(given);
    if (name === 'auto_ban') return t(given === 1 ? 'audit.value.yes' : 'audit.value.no');
    return format.ratio(given);
  }

  return {
    who,
    record,
    field,
    value,
    action: ({ action, count }: AuditEntry): string => {
      const text = t(`audit.action.${action}`);
      return count > 1 ? t('audit.action_times', { action: text, count }) : text;
    },
    kind: ({ kind }: AuditEntry): string => t(`audit.kind.${kind}`),
    secret: (secret: 'set' | 'replaced' | 'removed'): string => t(`audit.secret.${secret}`),
  };
}
