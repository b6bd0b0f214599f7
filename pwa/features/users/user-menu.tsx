import { useTranslation } from 'react-i18next';
import type { User } from '#shared/user.ts';
import type { ManageAction } from '#shared/users.ts';
import { useNeedsConnection } from '#pwa/offline/online-button.tsx';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { RowMenu } from '#pwa/ui/list/row-menu.tsx';
import { actionsFor, editRefusal, refusal } from './user-rules.ts';

export type UserCommand = ManageAction | 'edit';

interface UserMenuProps {
  actor: Pick<User, 'role'>;
  user: User;
  onCommand: (command: UserCommand) => void;
}

/** What can be done to a user; what cannot stays in sight and says why. */
export function UserMenu({ actor, user, onCommand }: UserMenuProps) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const needs = useNeedsConnection();
  return (
    <RowMenu
      label={t('users.action.more', { name: user.username })}
      width={240}
      content={() => {
        // One reason for all of them is said once.
        const general = editRefusal(actor, user);
        const commands: UserCommand[] = ['edit', ...actionsFor(user)];
        return {
          note: general === undefined ? undefined : t(`users.refusal.${general}`),
          actions: commands.map((command) => {
            const why = command === 'edit' ? general : refusal(command, actor, user);
            const needsNetwork = command !== 'edit' && !isOnline;
            const label = t(`users.action.${command}`);
            return {
              key: command,
              label: command === 'edit' ? label : needs(label),
              why: why !== undefined && general === undefined ? t(`users.refusal.${why}`) : undefined,
              isDisabled: why !== undefined || needsNetwork,
              isDanger: command === 'delete',
              onClick: () => onCommand(command),
            };
          }),
        };
      }}
    />
  );
}

/** What cannot be undone, one step further away than the buttons of the panel. */
export function RemoveUserMenu({ actor, user, isBusy, onCommand }: UserMenuProps & { isBusy: boolean }) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const needs = useNeedsConnection();
  return (
    <RowMenu
      label={t('users.action.more', { name: user.username })}
      width={240}
      content={() => {
        const why = refusal('delete', actor, user);
        return {
          actions: [
            {
              key: 'delete',
              label: needs(t('users.action.delete')),
              why: why === undefined ? undefined : t(`users.refusal.${why}`),
              isDisabled: why !== undefined || !isOnline || isBusy,
              isDanger: true,
              onClick: () => onCommand('delete'),
            },
          ],
        };
      }}
    />
  );
}
