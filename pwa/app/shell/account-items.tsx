import { useRouter } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { roleName } from '#shared/roles.ts';
import { signedInUser } from '#pwa/api/stored-user.ts';
import { install, useInstallWay } from '#pwa/offline/install-hint.ts';
import { DisclosureItem } from '#pwa/ui/controls/disclosure.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './account-items.module.css';
import { AccountSwitch } from './account-switch.tsx';

interface AccountItemsProps {
  onDone: () => void;
  onSignOut: () => void;
}

/** What the account menu holds: the accounts to act for, and what concerns the user. */
export function AccountItems({ onDone, onSignOut }: AccountItemsProps) {
  const { t } = useTranslation();
  const router = useRouter();
  const installWay = useInstallWay();
  return (
    <>
      <p className={`${typography.note} ${styles.role}`}>{t(`common.role.${roleName(signedInUser()?.role ?? 0)}`)}</p>
      <AccountSwitch onDone={onDone} />
      <DisclosureItem
        icon={<Icon name="settings" />}
        onClick={() => {
          onDone();
          void router.navigate({ to: '/personal' });
        }}
      >
        {t('shell.menu.personal')}
      </DisclosureItem>
      {installWay === 'prompt' && (
        <DisclosureItem
          icon={<Icon name="download" />}
          onClick={() => {
            onDone();
            void install();
          }}
        >
          {t('shell.install.action')}
        </DisclosureItem>
      )}
      <DisclosureItem
        icon={<Icon name="leave" />}
        onClick={() => {
          onDone();
          onSignOut();
        }}
      >
        {t('session.logout.action')}
      </DisclosureItem>
    </>
  );
}
