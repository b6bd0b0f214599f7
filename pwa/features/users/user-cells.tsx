import { useTranslation } from 'react-i18next';
import { Role } from '#shared/roles.ts';
import { type User, UserStatus } from '#shared/user.ts';
import type { ListedUser } from '#shared/users.ts';
import { isUnfunded, warningThreshold } from '#pwa/api/low-water.ts';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { BalanceMeter } from '#pwa/ui/billing/balance-meter.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { Tag } from '#pwa/ui/controls/tag.tsx';

export function UserName({ user }: { user: User }) {
  return (
    <>
      <b>{user.username}</b>
      {user.display_name !== '' && user.display_name !== user.username && <small>{user.display_name}</small>}
    </>
  );
}

export function UserState({ user }: { user: User }) {
  const { t } = useTranslation();
  if (user.DeletedAt !== null) return <StatusMark status="note">{t('users.status.deleted')}</StatusMark>;
  if (user.status === UserStatus.active) return <StatusMark status="on">{t('users.status.active')}</StatusMark>;
  if (user.status === UserStatus.banned) return <StatusMark status="off">{t('users.status.banned')}</StatusMark>;
  return <StatusMark status="look">{t('users.status.locked')}</StatusMark>;
}

/** Ordinary users are the rule; the others are named. */
export function UserRole({ user }: { user: Pick<User, 'role'> }) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  if (user.role < Role.admin) return <>{t('common.role.user')}</>;
  const word = t(user.role >= Role.root ? 'common.role.root' : 'common.role.admin');
  // In the second line of a card a tag would be taller than the line.
  return isPhone ? <>{word}</> : <Tag>{word}</Tag>;
}

/** How long ago a user called last; the moment itself on demand. */
export function LastCall({ user: { last_call: at = 0 } }: { user: Pick<ListedUser, 'last_call'> }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (at === 0) return <span className="visually-hidden">{t('users.no_call')}</span>;
  return <span title={format.dateTime(at)}>{format.ago(at, Date.now() / 1000)}</span>;
}

export function UserBalance({ user, size = 'row' }: { user: User; size?: 'row' | 'normal' }) {
  const { t } = useTranslation();
  const format = useFormat();
  // A card has no room for the bed.
  const isPhone = useIsPhone();
  const hasBed = !isPhone || size === 'normal';
  return (
    <BalanceMeter
      size={size}
      label={t('users.column.balance')}
      value={user.quota}
      fullMark={hasBed ? user.full_mark : 0}
      isUnfilled={isUnfunded(user)}
      lowMark={warningThreshold(user)}
      // Only a table has a heading that names the unit.
      valueText={size === 'row' && !isPhone ? format.quotaBare(user.quota) : format.quota(user.quota)}
      {...(size === 'normal' && user.full_mark > 0 ? { caption: t('users.balance.full', { amount: format.quota(user.full_mark) }) } : {})}
    />
  );
}
