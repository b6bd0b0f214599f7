import { ActionIcon, Button } from '@mantine/core';
import { Link, useRouterState } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { safeLink } from '#shared/links.ts';
import { useActing } from '#pwa/api/acting.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { registrationClosed, useSiteStatus } from '#pwa/api/site-status.ts';
import { PaletteButton, PaletteField } from '#pwa/app/palette/palette-door.tsx';
import { loadTexts } from '#pwa/i18n/setup.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import type { Path } from '#pwa/ui/frame/paths.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { useHeading } from '#pwa/ui/frame/screen-heading.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { AccountMenu } from './account-menu.tsx';
import { Freshness } from './freshness.tsx';
import { LanguageSwitch } from './language-switch.tsx';
import { barEntries, parentOf } from './menu-entries.ts';
import { ModeTag } from './mode-tag.tsx';
import { SiteMark } from './site-mark.tsx';
import { ThemeMenu } from './theme-menu.tsx';
import styles from './top-bar.module.css';
import { useMenuEntries } from './use-menu-entries.ts';
import { useSiteIdentity } from './use-site-identity.ts';

// Only who acts for an organisation has it.
const ActingMark = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./acting-mark.tsx'), loadTexts('acting')]);
    return part;
  },
  (part) => part.ActingMark,
);
// On other days nothing of it is loaded.
const NewYear = lazyPart(
  () => import('./new-year.tsx'),
  (part) => part.NewYear,
);

function isNewYear(): boolean {
  const today = new Date();
  return today.getMonth() === 0 && today.getDate() === 1;
}

export function TopBar({ isPhone, isBrandNarrow }: { isPhone: boolean; isBrandNarrow: boolean }) {
  const { t } = useTranslation();
  const user = useStoredUser();
  const acting = useActing();
  const status = useSiteStatus();
  const docs = safeLink(status?.docs_link ?? '', 'web');
  const heading = useHeading();
  const siteName = useSiteIdentity(heading.title);

  if (isPhone && user !== null) {
    return (
      <header className={styles.phone}>
        <BackOrMark back={heading.back} />
        <div className={`${layout.fill} ${styles.heading}`}>
          <h1 className={`${typography.ellipsis} ${styles.title}`}>{heading.title}</h1>
          {acting !== null && <ActingMark acting={acting} under={heading.title} />}
        </div>
        {isNewYear() && <NewYear />}
        <PaletteButton />
        <Freshness />
      </header>
    );
  }
  return (
    <header className={`${layout.row} ${styles.bar}`}>
      <Link
        className={`${typography.heading} ${layout.row} ${styles.brand}`}
        to="/"
        data-narrow={isBrandNarrow || undefined}
        data-wide={user !== null || undefined}
        aria-label={siteName}
      >
        <SiteMark />
        {!isBrandNarrow && <span className={typography.ellipsis}>{siteName}</span>}
      </Link>
      <ModeTag />
      {acting !== null && <ActingMark acting={acting} />}
      {user !== null && <PaletteField />}
      <span className={styles.space} />
      {user !== null && <Freshness />}
      {user === null && <GuestLinks />}
      {!isPhone && docs !== undefined && (
        <ActionIcon
          component="a"
          href={docs}
          target="_blank"
          rel="noopener noreferrer"
          aria-label={t('shell.docs')}
          title={t('shell.docs')}
        >
          <Icon name="book" />
        </ActionIcon>
      )}
      {isNewYear() && <NewYear />}
      <LanguageSwitch />
      <ThemeMenu />
      {user !== null && <AccountMenu user={user} />}
    </header>
  );
}

/** Screens of the bar below have the mark; from what is under "more" an arrow leads to Home, or where the screen says. */
function BackOrMark({ back }: { back: Path | undefined }) {
  const { t } = useTranslation();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const screen = parentOf(path) === '/' ? '/' : path;
  const isInBar = barEntries(useMenuEntries()).some((entry) => entry.to === screen);
  if (isInBar && back === undefined) return <SiteMark />;
  return (
    <ActionIcon component={Link} to={back ?? '/'} aria-label={t('common.action.back')} className={styles.back}>
      <Icon name="left" large />
    </ActionIcon>
  );
}

function GuestLinks() {
  const { t } = useTranslation();
  const status = useSiteStatus();
  const offersRegister = registrationClosed(status) === undefined;
  return (
    <>
      <Button renderRoot={(attributes) => <Link {...attributes} to="/pricing" />} variant="subtle">
        {t('shell.menu.pricing')}
      </Button>
      {status?.status_page === 'public' && (
        <Button renderRoot={(attributes) => <Link {...attributes} to="/status" />} variant="subtle" className={styles.register}>
          {t('shell.menu.status')}
        </Button>
      )}
      {offersRegister && (
        <Button renderRoot={(attributes) => <Link {...attributes} to="/register" />} variant="subtle" className={styles.register}>
          {t('session.register.link')}
        </Button>
      )}
      <Button renderRoot={(attributes) => <Link {...attributes} to="/login" />}>{t('session.login.link')}</Button>
    </>
  );
}
