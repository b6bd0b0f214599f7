import { useMantineColorScheme } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useStoredUser } from '#pwa/api/self.ts';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { chooseLanguage, currentLanguage, languages } from '#pwa/i18n/setup.ts';
import { install, useInstallWay } from '#pwa/offline/install-hint.ts';
import { BottomSheet } from '#pwa/ui/bottom-sheet.tsx';
import { Icon } from '#pwa/ui/icon.tsx';
import { Segments } from '#pwa/ui/segments.tsx';
import { roleName } from './account-menu.tsx';
import type { MenuEntry } from './menu-entries.ts';
import styles from './more-sheet.module.css';
import { SignOutDialog, useSignOut } from './sign-out.tsx';
import { themes, useBarColour } from './theme-menu.tsx';
import { ModeTag } from './top-bar.tsx';

interface MoreSheetProps {
  opened: boolean;
  entries: MenuEntry[];
  onClose: () => void;
}

/** Everything that the bottom bar has no room for: further screens, appearance, account. */
export function MoreSheet({ opened, entries, onClose }: MoreSheetProps) {
  const { t } = useTranslation();
  const user = useStoredUser();
  const docs = useSiteStatus()?.docs_link;
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const installWay = useInstallWay();
  const signOut = useSignOut();
  useBarColour();
  return (
    <>
      <BottomSheet opened={opened} onClose={onClose} title={t('shell.menu.more')}>
        <div className={styles.account}>
          <Icon name="user" large />
          <span className={styles.name}>{user?.display_name || user?.username}</span>
          <span className={styles.role}>{t(`common.role.${roleName(user?.role ?? 0)}`)}</span>
          <ModeTag />
        </div>
        <ul className={styles.list}>
          {entries.map((entry) => (
            <li key={entry.to}>
              <Link className={styles.entry} to={entry.to} onClick={onClose}>
                <Icon name={entry.icon} large />
                {t(entry.name)}
                <Icon name="right" />
              </Link>
            </li>
          ))}
          {docs !== undefined && docs !== '' && (
            <li>
              <a className={styles.entry} href={docs} target="_blank" rel="noreferrer">
                <Icon name="book" large />
                {t('shell.docs')}
                <Icon name="link" />
              </a>
            </li>
          )}
        </ul>
        <div className={styles.choice}>
          <span>{t('shell.theme.label')}</span>
          <Segments
            label={t('shell.theme.label')}
            value={colorScheme}
            onChange={setColorScheme}
            options={themes.map((theme) => ({ value: theme.value, label: t(`shell.theme.${theme.value}`) }))}
          />
        </div>
        <div className={styles.choice}>
          <span>{t('shell.language.label')}</span>
          <Segments
            label={t('shell.language.label')}
            value={currentLanguage()}
            onChange={(language) => void chooseLanguage(language)}
            options={languages.map((language) => ({ value: language, label: t(`shell.language.${language}`) }))}
          />
        </div>
        {installWay === 'share_menu' && <p className={styles.hint}>{t('shell.install.share_menu')}</p>}
        <ul className={styles.list}>
          {installWay === 'prompt' && (
            <li>
              <button type="button" className={styles.entry} onClick={() => void install()}>
                <Icon name="download" large />
                {t('shell.install.action')}
              </button>
            </li>
          )}
          <li>
            <button
              type="button"
              className={styles.entry}
              onClick={() => {
                onClose();
                signOut.ask();
              }}
            >
              <Icon name="leave" large />
              {t('session.logout.action')}
            </button>
          </li>
        </ul>
      </BottomSheet>
      <SignOutDialog signOut={signOut} />
    </>
  );
}
