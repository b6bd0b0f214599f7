import { Button } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { roleName } from '#shared/roles.ts';
import type { User } from '#shared/user.ts';
import { install, useInstallWay } from '#pwa/offline/install-hint.ts';
import { Disclosure, DisclosureItem } from '#pwa/ui/controls/disclosure.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './account-menu.module.css';
import { SignOutDialog, useSignOut } from './sign-out.tsx';

export function AccountMenu({ user }: { user: User }) {
  const { t } = useTranslation();
  const router = useRouter();
  const installWay = useInstallWay();
  const signOut = useSignOut();
  return (
    <>
      <Disclosure
        button={(attributes) => (
          <Button {...attributes} variant="subtle" leftSection={<Icon name="user" />} rightSection={<Icon name="down" />}>
            {user.display_name || user.username}
          </Button>
        )}
      >
        {(close) => (
          <>
            <p className={`${typography.note} ${styles.role}`}>{t(`common.role.${roleName(user.role)}`)}</p>
            <DisclosureItem
              icon={<Icon name="settings" />}
              onClick={() => {
                close();
                void router.navigate({ to: '/personal' });
              }}
            >
              {t('shell.menu.personal')}
            </DisclosureItem>
            {installWay === 'prompt' && (
              <DisclosureItem
                icon={<Icon name="download" />}
                onClick={() => {
                  close();
                  void install();
                }}
              >
                {t('shell.install.action')}
              </DisclosureItem>
            )}
            <DisclosureItem
              icon={<Icon name="leave" />}
              onClick={() => {
                close();
                signOut.ask();
              }}
            >
              {t('session.logout.action')}
            </DisclosureItem>
          </>
        )}
      </Disclosure>
      <SignOutDialog signOut={signOut} />
    </>
  );
}
