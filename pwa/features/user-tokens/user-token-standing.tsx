import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { acceptedOldKeys } from '#shared/tokens.ts';
import type { UserToken } from '#shared/user-tokens.ts';
import { appText } from '#pwa/api/app-text.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { ManagedNote } from '#pwa/ui/controls/managed-by.tsx';
import { SummaryList } from '#pwa/ui/frame/side-panel.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { endingText, UserTokenMark } from './user-token-mark.tsx';
import styles from './user-tokens.module.css';

/** Whose token it is, and how it stands. */
export function UserTokenStanding({ token }: { token: UserToken }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { owner, moved_to: to, moved_from: from } = token;
  const until = Math.max(0, ...acceptedOldKeys({ ...token, key: '' }));
  return (
    <div className={layout.stackMd}>
      <UserTokenMark token={token} />
      <ManagedNote file={token.managed_by} />
      <SummaryList
        items={[
          {
            name: t('user-tokens.column.owner'),
            value: (
              <Link className={styles.link} to="/user/edit/$id" params={{ id: String(owner.id) }}>
                {owner.username} <small>#{owner.id}</small>
              </Link>
            ),
          },
          { name: t('user-tokens.column.ending'), value: <span className={typography.mono}>{endingText(token)}</span> },
          ...(token.blocked_reason === undefined
            ? []
            : [
                { name: t('user-tokens.block.reason'), value: token.blocked_reason },
                {
                  name: t('user-tokens.block.by'),
                  value: [token.blocked_by, format.dateTime(token.blocked_time ?? 0)].filter((part) => part !== '').join(' · '),
                },
              ]),
          ...(token.application === undefined ? [] : [{ name: t('tokens.column.application'), value: appText(token.application) }]),
          { name: t('tokens.column.group'), value: token.group === '' ? t('tokens.own_group') : token.group },
          { name: t('tokens.column.balance'), value: token.unlimited_quota ? t('tokens.unlimited') : format.quota(token.remain_quota) },
          { name: t('tokens.column.used'), value: format.quota(token.used_quota) },
          { name: t('tokens.column.created'), value: format.dateTime(token.created_time) },
          ...(token.accessed_time > token.created_time
            ? [{ name: t('tokens.column.accessed'), value: format.dateTime(token.accessed_time) }]
            : []),
          ...(until > 0 ? [{ name: t('user-tokens.old_key'), value: t('tokens.old_key.until', { time: format.dateTime(until) }) }] : []),
          ...(to === undefined ? [] : [{ name: t('user-tokens.moved_to'), value: <MovedLink token={to} /> }]),
          ...(from === undefined ? [] : [{ name: t('user-tokens.moved_from'), value: <MovedLink token={from} /> }]),
        ]}
      />
      <Link className={styles.link} to="/log" search={{ user: owner.username, token: token.name }}>
        {t('user-tokens.calls')}
      </Link>
    </div>
  );
}

function MovedLink({ token: { id, username } }: { token: { id: number; username: string } }) {
  return (
    <Link className={styles.link} to="/user-tokens" search={{ open: String(id) }}>
      {username} <small>#{id}</small>
    </Link>
  );
}
