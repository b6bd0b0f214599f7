import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Binding } from '#shared/oauth.ts';
import type { User } from '#shared/user.ts';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { SummaryList, PanelSection } from '#pwa/ui/frame/side-panel.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { AddCredit } from './add-credit.tsx';
import { UserBalance, UserRole, UserState } from './user-cells.tsx';
import { RemoveUserMenu, type UserCommand } from './user-menu.tsx';
import styles from './user-panel.module.css';
import { RemoveBinding } from './remove-binding.tsx';
import { PersonLink } from './user-more.tsx';
import { EndSessions } from './end-sessions.tsx';
import { actionsFor, editRefusal, refusal } from './user-rules.ts';

const bindings = [
  { field: 'email', binding: 'email' },
  { field: 'github_id', binding: 'github' },
  { field: 'oidc_id', binding: 'oidc' },
  { field: 'wechat_id', binding: 'wechat' },
  { field: 'telegram_id', binding: 'telegram' },
  { field: 'linux_do_id', binding: 'linuxdo' },
] as const satisfies readonly { field: keyof User; binding: Binding }[];

/** Balance, figures and where the account comes from. */
export function UserSummary({ user, canEdit = false }: { user: User; canEdit?: boolean }) {
  const { t } = useTranslation();
  const format = useFormat();
  const bound = bindings.filter(({ field }) => user[field] !== '');
  return (
    <>
      <div className={`${layout.spread} ${styles.balance}`}>
        <UserBalance user={user} size="normal" />
        {canEdit && <AddCredit user={user} />}
      </div>
      <SummaryList
        items={[
          { name: t('users.column.status'), value: <UserState user={user} /> },
          { name: t('users.column.role'), value: <UserRole user={user} /> },
          { name: t('users.column.used'), value: format.quota(user.used_quota) },
          { name: t('users.column.requests'), value: format.count(user.request_count) },
          { name: t('users.column.invited'), value: format.count(user.aff_count) },
          ...(user.inviter_id === 0 ? [] : [{ name: t('users.fact.inviter'), value: <Inviter user={user} /> }]),
          { name: t('users.column.created'), value: format.dateTime(user.created_time) },
        ]}
      />
      {bound.length > 0 && (
        <PanelSection title={t('users.fact.bound')}>
          <SummaryList
            items={bound.map(({ field, binding }) => {
              const name = t(`users.fact.${field}`);
              return {
                name,
                value: (
                  <>
                    {user[field]} {canEdit && <RemoveBinding user={user} binding={binding} name={name} />}
                  </>
                ),
              };
            })}
          />
        </PanelSection>
      )}
    </>
  );
}

function Inviter({ user: { inviter_id: id, inviter_name: name = '' } }: { user: User }) {
  return name === '' ? `#${id}` : <PersonLink person={{ id, username: name }} />;
}

interface UserActionsProps {
  user: User;
  actor: Pick<User, 'role'>;
  isBusy: boolean;
  onCommand: (command: UserCommand, user: User) => void;
}

/** The actions as buttons, deletion apart from them in a menu; what is not possible says why below. */
export function UserActions({ user, actor, isBusy, onCommand }: UserActionsProps) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const actions = actionsFor(user)
    .filter((action) => action !== 'delete')
    .map((action) => ({ action, why: refusal(action, actor, user) }));
  const reasons = [...new Set(actions.flatMap(({ why }) => (why === undefined ? [] : [why])))];
  return (
    <div className={`${layout.stackXs} ${styles.actions}`}>
      <span className={styles.bar}>
        <span className={`${layout.wrap} ${styles.buttons}`}>
          {actions.map(({ action, why }) => (
            <Button key={action} disabled={why !== undefined || !isOnline || isBusy} onClick={() => onCommand(action, user)}>
              {t(`users.action.${action}`)}
            </Button>
          ))}
          <EndSessions user={user} disabled={editRefusal(actor, user) !== undefined || isBusy} />
        </span>
        <RemoveUserMenu actor={actor} user={user} isBusy={isBusy} onCommand={(command) => onCommand(command, user)} />
      </span>
      {!isOnline && <StatusMark status="offline">{t('users.offline')}</StatusMark>}
      {reasons.map((why) => (
        <span key={why} className={typography.note}>
          {t(`users.refusal.${why}`)}
        </span>
      ))}
    </div>
  );
}
