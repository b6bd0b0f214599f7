import { useTranslation } from 'react-i18next';
import { TokenStatus } from '#shared/tokens.ts';
import type { UserToken } from '#shared/user-tokens.ts';
import { type Status, StatusMark } from '#pwa/ui/controls/status-mark.tsx';

const marks: ReadonlyMap<number, { status: Status; name: string }> = new Map([
  [TokenStatus.enabled, { status: 'on', name: 'enabled' }],
  [TokenStatus.disabled, { status: 'off', name: 'disabled' }],
  [TokenStatus.expired, { status: 'expired', name: 'expired' }],
  [TokenStatus.exhausted, { status: 'empty', name: 'exhausted' }],
]);

export function UserTokenMark({ token }: { token: Pick<UserToken, 'status' | 'DeletedAt' | 'moved_to' | 'blocked_reason'> }) {
  const { t } = useTranslation();
  if (token.moved_to !== undefined) return <StatusMark status="note">{t('user-tokens.status.moved')}</StatusMark>;
  if (token.DeletedAt !== null) return <StatusMark status="off">{t('user-tokens.status.deleted')}</StatusMark>;
  if (token.blocked_reason !== undefined) return <StatusMark status="failed">{t('user-tokens.status.blocked')}</StatusMark>;
  const mark = marks.get(token.status) ?? { status: 'note', name: 'unknown' };
  return <StatusMark status={mark.status}>{t(`tokens.status.${mark.name}`)}</StatusMark>;
}

export function endingText({ ending }: Pick<UserToken, 'ending'>): string {
  return ending === '' ? '—' : `…${ending}`;
}
