import { useTranslation } from 'react-i18next';
import { roleName } from '#shared/roles.ts';
import type { User } from '#shared/user.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { type ConflictRow, RevisionConflict } from '#pwa/ui/form/revision-conflict.tsx';

interface UserConflictProps {
  base: User;
  theirs: User;
  mine: { username: string; display_name: string; group: string };
  isBusy: boolean;
  onKeepMine: () => void;
  onReload: () => void;
}

/** What others saved while this form was open. */
export function UserConflict({ base, theirs, mine, ...rest }: UserConflictProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const rows: ConflictRow[] = (['username', 'display_name', 'group'] as const)
    .filter((field) => base[field] !== theirs[field])
    .map((field) => ({
      field,
      name: t(`users.field.${field}`),
      base: base[field],
      theirs: theirs[field],
      ...(mine[field] === base[field] ? {} : { mine: mine[field] }),
    }));
  if (base.quota !== theirs.quota) {
    rows.push({ field: 'quota', name: t('users.column.balance'), base: format.quota(base.quota), theirs: format.quota(theirs.quota) });
  }
  if (base.role !== theirs.role) rows.push({ field: 'role', name: t('users.column.role'), base: wordOf(base), theirs: wordOf(theirs) });
  if (base.status !== theirs.status)
    rows.push({ field: 'status', name: t('users.column.status'), base: statusName(base), theirs: statusName(theirs) });
  return <RevisionConflict rows={rows} {...rest} />;

  function wordOf({ role }: User): string {
    return t(`common.role.${roleName(role)}`);
  }
  function statusName({ status }: User): string {
    return t(`users.status.${status === 1 ? 'active' : status === 2 ? 'banned' : 'locked'}`);
  }
}
