import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { User } from '#shared/users.ts';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { useFormat } from '#pwa/ui/format-context.ts';
import { QueryState } from '#pwa/ui/query-state.tsx';
import { FactList, PanelSection, SidePanel } from '#pwa/ui/side-panel.tsx';
import { StatusMark } from '#pwa/ui/status-mark.tsx';
import { userQuery } from './queries.ts';
import { UserBalance, UserRole, UserState } from './user-cells.tsx';
import { UserForm } from './user-form.tsx';
import type { UserCommand } from './user-menu.tsx';
import styles from './user-panel.module.css';
import { actionsFor, editRefusal, refusal } from './user-rules.ts';

export interface UserPanelProps {
  id: number;
  /** The user as the list has him; undefined when he is on another page. */
  row: User | undefined;
  actor: Pick<User, 'role'>;
  /** The user that an action is running for. */
  busyId: number | undefined;
  onCommand: (command: UserCommand, user: User) => void;
  onClose: () => void;
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
}

/** A user beside the list: the editor, or what there is to see of somebody one may not change. */
export function UserPanel(props: UserPanelProps) {
  const { id, row, actor, onClose, onPrevious, onNext } = props;
  const { t } = useTranslation();
  const why = row === undefined ? undefined : editRefusal(actor, row);
  const query = useQuery({ ...userQuery(id), enabled: why === undefined });
  const frame = { onClose, onPrevious, onNext };

  if (row !== undefined && why !== undefined) {
    return (
      <SidePanel {...frame} title={row.username} note={`#${row.id}`}>
        <p className={styles.why}>
          <StatusMark status="note">{t(`users.refusal.${why}`)}</StatusMark>
        </p>
        <UserFacts user={row} />
      </SidePanel>
    );
  }
  if (query.data !== undefined) return <UserForm {...props} user={query.data} />;
  return (
    <SidePanel {...frame} title={row?.username ?? t('users.editor.title')} note={`#${id}`}>
      <QueryState query={query} what={t('users.editor.what')} lines={8}>
        {() => null}
      </QueryState>
    </SidePanel>
  );
}

/** Balance, figures and where the account comes from. */
export function UserFacts({ user }: { user: User }) {
  const { t } = useTranslation();
  const format = useFormat();
  const bound = (['email', 'github_id', 'oidc_id', 'wechat_id', 'telegram_id', 'linux_do_id'] as const).filter((field) => user[field] !== '');
  return (
    <>
      <div className={styles.balance}>
        <UserBalance user={user} size="normal" />
      </div>
      <FactList
        facts={[
          { name: t('users.column.status'), value: <UserState user={user} /> },
          { name: t('users.column.role'), value: <UserRole user={user} /> },
          { name: t('users.column.used'), value: format.quota(user.used_quota) },
          { name: t('users.column.requests'), value: format.count(user.request_count) },
          { name: t('users.column.invited'), value: format.count(user.aff_count) },
          ...(user.inviter_id === 0 ? [] : [{ name: t('users.fact.inviter'), value: `#${user.inviter_id}` }]),
          { name: t('users.column.created'), value: format.dateTime(user.created_time) },
        ]}
      />
      {bound.length > 0 && (
        <PanelSection title={t('users.fact.bound')}>
          <FactList facts={bound.map((field) => ({ name: t(`users.fact.${field}`), value: user[field] }))} />
        </PanelSection>
      )}
    </>
  );
}

interface UserActionsProps {
  user: User;
  actor: Pick<User, 'role'>;
  isBusy: boolean;
  onCommand: (command: UserCommand, user: User) => void;
}

/** The actions as buttons; what is not possible says why below. */
export function UserActions({ user, actor, isBusy, onCommand }: UserActionsProps) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const actions = actionsFor(user).map((action) => ({ action, why: refusal(action, actor, user) }));
  const reasons = [...new Set(actions.flatMap(({ why }) => (why === undefined ? [] : [why])))];
  return (
    <div className={styles.actions}>
      <span className={styles.buttons}>
        {actions.map(({ action, why }) => (
          <Button key={action} data-tone={action === 'delete' ? 'danger' : undefined} disabled={why !== undefined || !isOnline || isBusy} onClick={() => onCommand(action, user)}>
            {t(`users.action.${action}`)}
          </Button>
        ))}
      </span>
      {!isOnline && <StatusMark status="offline">{t('users.offline')}</StatusMark>}
      {reasons.map((why) => (
        <span key={why} className={styles.reason}>
          {t(`users.refusal.${why}`)}
        </span>
      ))}
    </div>
  );
}
