import { ActionIcon, Menu } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ManageAction, User } from '#shared/users.ts';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { Icon } from '#pwa/ui/icon.tsx';
import styles from './user-menu.module.css';
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
  // One reason for all of them is said once.
  const general = editRefusal(actor, user);
  const commands: UserCommand[] = ['edit', ...actionsFor(user)];
  return (
    <Menu position="bottom-end" width={240} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon aria-label={t('users.action.more', { name: user.username })}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {general !== undefined && <Menu.Label className={styles.general}>{t(`users.refusal.${general}`)}</Menu.Label>}
        {commands.map((command) => {
          const why = command === 'edit' ? general : refusal(command, actor, user);
          const needsNetwork = command !== 'edit' && !isOnline;
          return (
            <Menu.Item
              key={command}
              disabled={why !== undefined || needsNetwork}
              data-danger={command === 'delete' || undefined}
              onClick={() => onCommand(command)}
            >
              {needsNetwork ? t('common.action.needs_connection', { action: t(`users.action.${command}`) }) : t(`users.action.${command}`)}
              {why !== undefined && general === undefined && <span className={styles.why}>{t(`users.refusal.${why}`)}</span>}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
