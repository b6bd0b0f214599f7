import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { roleName } from '#shared/roles.ts';
import { safeLink } from '#shared/links.ts';
import { useChannelAlarms } from '#pwa/api/disabled-channels.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { chooseLanguage, currentLanguage, languages } from '#pwa/i18n/setup.ts';
import { install, useInstallWay } from '#pwa/offline/install-hint.ts';
import { BottomSheet } from '#pwa/ui/frame/bottom-sheet.tsx';
import { chooseScheme, useChosenScheme } from '#pwa/ui/frame/color-scheme.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import control from '#pwa/ui/styles/control.module.css';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { AccountSwitch } from './account-switch.tsx';
import type { MenuEntry } from './menu-entries.ts';
import { ModeTag } from './mode-tag.tsx';
import styles from './more-sheet.module.css';
import { SignOutDialog, useSignOut } from './sign-out.tsx';
import { themes } from './theme-menu.tsx';

interface MoreSheetProps {
  opened: boolean;
  entries: MenuEntry[];
  onClose: () => void;
}

/** Everything that the bottom bar has no room for: further screens, appearance, account. */
export function MoreSheet({ opened, entries, onClose }: MoreSheetProps) {
  const { t } = useTranslation();
  const signOut = useSignOut();
  return (
    <>
      <BottomSheet opened={opened} onClose={onClose} title={t('shell.menu.more')}>
        <Account />
        <AccountSwitch isBare onDone={onClose} />
        <Screens entries={entries} onClose={onClose} />
        <Appearance />
        <DeviceActions
          onSignOut={() => {
            onClose();
            signOut.ask();
          }}
        />
      </BottomSheet>
      <SignOutDialog signOut={signOut} />
    </>
  );
}

function Account() {
  const { t } = useTranslation();
  const user = useStoredUser();
  return (
    <div className={styles.account}>
      <Icon name="user" large />
      <span className={`${typography.ellipsis} ${typography.strong}`}>{user?.display_name || user?.username}</span>
      <span className={styles.role}>{t(`common.role.${roleName(user?.role ?? 0)}`)}</span>
      <ModeTag />
    </div>
  );
}

function Screens({ entries, onClose }: Pick<MoreSheetProps, 'entries' | 'onClose'>) {
  const { t } = useTranslation();
  const docs = safeLink(useSiteStatus()?.docs_link ?? '', 'web');
  const alarmed = useChannelAlarms();
  return (
    <ul className={styles.list}>
      {entries.map((entry) => (
        <li key={entry.to}>
          <Link className={`${control.bare} ${styles.entry}`} to={entry.to} onClick={onClose}>
            <Icon name={entry.icon} large />
            {t(entry.name)}
            {entry.to === '/channel' && alarmed > 0 && (
              <StatusMark status="auto">{t('shell.menu.disabled', { count: alarmed })}</StatusMark>
            )}
            <Icon name="right" />
          </Link>
        </li>
      ))}
      {docs !== undefined && (
        <li>
          <a className={`${control.bare} ${styles.entry}`} href={docs} target="_blank" rel="noopener noreferrer">
            <Icon name="book" large />
            {t('shell.docs')}
            <Icon name="link" />
          </a>
        </li>
      )}
    </ul>
  );
}

function Appearance() {
  const { t } = useTranslation();
  const scheme = useChosenScheme();
  return (
    <>
      <div className={`${layout.row} ${layout.wrap} ${layout.spread} ${styles.choice}`}>
        <span>{t('frame.theme.label')}</span>
        <Segments
          label={t('frame.theme.label')}
          value={scheme}
          onChange={chooseScheme}
          options={themes.map((theme) => ({ value: theme.value, label: t(`frame.theme.${theme.value}`) }))}
        />
      </div>
      <div className={`${layout.row} ${layout.wrap} ${layout.spread} ${styles.choice}`}>
        <span>{t('frame.language.label')}</span>
        <Segments
          label={t('frame.language.label')}
          value={currentLanguage()}
          onChange={(language) => void chooseLanguage(language)}
          options={languages.map((language) => ({ value: language, label: t(`frame.language.${language}`) }))}
        />
      </div>
    </>
  );
}

/** Installing the console on this device, and signing out of it. */
function DeviceActions({ onSignOut }: { onSignOut: () => void }) {
  const { t } = useTranslation();
  const installWay = useInstallWay();
  return (
    <>
      {installWay === 'share_menu' && <p className={`${typography.compact} ${styles.hint}`}>{t('shell.install.share_menu')}</p>}
      <ul className={styles.list}>
        {installWay === 'prompt' && (
          <li>
            <button type="button" className={`${control.bare} ${styles.entry}`} onClick={() => void install()}>
              <Icon name="download" large />
              {t('shell.install.action')}
            </button>
          </li>
        )}
        <li>
          <button type="button" className={`${control.bare} ${styles.entry}`} onClick={onSignOut}>
            <Icon name="leave" large />
            {t('session.logout.action')}
          </button>
        </li>
      </ul>
    </>
  );
}
