import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { TokenStatus } from '#shared/tokens.ts';
import type { User } from '#shared/user.ts';
import type { UserToken } from '#shared/user-tokens.ts';
import type { BalanceChange, Invited } from '#shared/users.ts';
import { RecordHistoryFold } from '#pwa/records/audit/record-history-fold.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { Fold } from '#pwa/ui/form/fold.tsx';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import { balanceHistoryQuery, invitationsQuery, pageStep, tokensOfUserQuery } from './queries.ts';
import { balanceKindText } from './balance-kind-text.ts';
import styles from './user-more.module.css';

/** What is looked up now and then: where the balance comes from, who invited whom. */
export function UserMore({ user }: { user: Pick<User, 'id' | 'aff_count'> }) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <div className={styles.more}>
      <Fold title={t('users.tokens.title')}>{() => <Tokens id={user.id} />}</Fold>
      <Fold title={t('users.history.title')}>{() => <BalanceHistory id={user.id} />}</Fold>
      <Fold title={t('users.invitations.title')} aside={user.aff_count === 0 ? undefined : format.count(user.aff_count)}>
        {() => <Invitations id={user.id} isTop />}
      </Fold>
      <RecordHistoryFold object={`user:${user.id}`} />
    </div>
  );
}

/** The newest tokens; what may be done about them is on a screen of its own. */
function Tokens({ id }: { id: number }) {
  const { t } = useTranslation();
  const query = useQuery(tokensOfUserQuery(id));
  return (
    <QueryState query={query} what={t('users.tokens.title')} lines={3}>
      {({ items, cursor }) => (
        <>
          {items.length === 0 && <p className={styles.quiet}>{t('users.tokens.empty')}</p>}
          <ul className={`${layout.stackMd} ${styles.list}`}>
            {items.map((token) => (
              <TokenRow key={token.id} token={token} />
            ))}
          </ul>
          {items.length > 0 && (
            <Link to="/user-tokens" search={{ user: String(id) }} className={styles.link}>
              {t(cursor === undefined ? 'users.tokens.manage' : 'users.tokens.all')}
            </Link>
          )}
        </>
      )}
    </QueryState>
  );
}

function TokenRow({ token: { id, user_id: user, name, ending, status, blocked_reason: reason, ...token } }: { token: UserToken }) {
  const { t } = useTranslation();
  const format = useFormat();
  const state =
    reason !== undefined ? 'blocked' : status === TokenStatus.enabled ? 'enabled' : status === TokenStatus.disabled ? 'disabled' : 'ended';
  return (
    <li className={styles.change}>
      <Link to="/user-tokens" search={{ user: String(user), open: String(id) }} className={styles.link}>
        {name} <small>{ending === '' ? '' : `…${ending}`}</small>
      </Link>
      <b>{token.unlimited_quota ? t('users.tokens.unlimited') : format.quota(token.remain_quota)}</b>
      <small>{t(`users.tokens.state.${state}`)}</small>
    </li>
  );
}

function BalanceHistory({ id }: { id: number }) {
  const { t } = useTranslation();
  const [size, setSize] = useState(pageStep);
  const query = useQuery(balanceHistoryQuery(id, size));
  return (
    <QueryState query={query} what={t('users.history.title')} lines={3}>
      {({ items, total }) => (
        <>
          {items.length === 0 && <p className={styles.quiet}>{t('users.history.empty')}</p>}
          <ul className={`${layout.stackMd} ${styles.list}`}>
            {items.map((change) => (
              <HistoryRow key={change.id} change={change} />
            ))}
          </ul>
          {total > items.length && <MoreButton size={size} onMore={setSize} />}
          <Link to="/statement" search={{ user: id }} className={styles.link}>
            {t('users.history.statement')}
          </Link>
        </>
      )}
    </QueryState>
  );
}

function HistoryRow({ change }: { change: BalanceChange }) {
  const { t } = useTranslation();
  const format = useFormat();
  const who = change.actor_id === 0 ? '' : change.actor_name || `#${change.actor_id}`;
  return (
    <li className={styles.change}>
      <span>{balanceKindText(t, change.kind)}</span>
      <b>{format.quotaChange(change.amount)}</b>
      <small>{[format.dateTime(change.created_at), who].filter((part) => part !== '').join(' · ')}</small>
      {change.reason !== '' && <small className={styles.reason}>{change.reason}</small>}
    </li>
  );
}

/** One branch of the tree; the first one says who stands above. */
function Invitations({ id, isTop = false }: { id: number; isTop?: boolean }) {
  const { t } = useTranslation();
  const [size, setSize] = useState(pageStep);
  const query = useQuery(invitationsQuery(id, size));
  return (
    <QueryState query={query} what={t('users.invitations.title')} lines={2}>
      {({ items, total, inviters }) => (
        <>
          {isTop && inviters.length > 0 && (
            <p className={styles.above}>
              {t('users.invitations.by')}{' '}
              {inviters.map((inviter) => (
                <span key={inviter.id}>
                  <PersonLink person={inviter} />{' '}
                </span>
              ))}
            </p>
          )}
          {items.length === 0 && <p className={styles.quiet}>{t('users.invitations.empty')}</p>}
          <ul className={isTop ? `${layout.stackMd} ${styles.list}` : `${layout.stackMd} ${styles.branch}`}>
            {items.map((person) => (
              <InvitedRow key={person.id} person={person} />
            ))}
          </ul>
          {total > items.length && <MoreButton size={size} onMore={setSize} />}
        </>
      )}
    </QueryState>
  );
}

function InvitedRow({ person }: { person: Invited }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [isOpen, setOpen] = useState(false);
  const facts = [
    person.is_deleted ? t('users.status.deleted') : '',
    format.date(person.created_time),
    t('users.invitations.used', { amount: format.quota(person.used_quota) }),
  ];
  return (
    <li>
      <span className={styles.person}>
        <PersonLink person={person} />
        {person.aff_count > 0 && (
          <Button
            variant="subtle"
            aria-expanded={isOpen}
            leftSection={<Icon name={isOpen ? 'down' : 'right'} />}
            onClick={() => setOpen(!isOpen)}
          >
            {t('users.invitations.invited', { count: person.aff_count })}
          </Button>
        )}
      </span>
      <small className={styles.quiet}>{facts.filter((fact) => fact !== '').join(' · ')}</small>
      {isOpen && <Invitations id={person.id} />}
    </li>
  );
}

export function PersonLink({ person: { id, username } }: { person: Pick<Invited, 'id' | 'username'> }) {
  return (
    <Link className={styles.link} to="/user/edit/$id" params={{ id: String(id) }}>
      {username} <small>#{id}</small>
    </Link>
  );
}

/** A hundred is the most that one call answers. */
function MoreButton({ size, onMore }: { size: number; onMore: (size: number) => void }) {
  const { t } = useTranslation();
  if (size >= 100) return <p className={styles.quiet}>{t('users.history.newest', { count: size })}</p>;
  return (
    <Button variant="subtle" onClick={() => onMore(Math.min(100, size + 3 * pageStep))}>
      {t('users.history.more')}
    </Button>
  );
}
