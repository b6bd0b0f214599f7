import { Link, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChannelAlarms } from '#pwa/api/disabled-channels.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import control from '#pwa/ui/styles/control.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './bottom-bar.module.css';
import { barEntries, isWithin, parentOf } from './menu-entries.ts';
import { NavIcon } from './nav-icon.tsx';
import { useMenuEntries } from './use-menu-entries.ts';

// Loaded with the first press.
const MoreSheet = lazy(async () => {
  const [part] = await Promise.all([import('./more-sheet.tsx'), loadTexts('acting')]);
  return { default: part.MoreSheet };
});

/** The phone's navigation: four screens and the rest behind "more". */
export function BottomBar() {
  const { t } = useTranslation();
  const alarmed = useChannelAlarms();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const [isMoreOpen, setMoreOpen] = useState(false);
  const [wasOpened, setOpened] = useState(false);
  const entries = useMenuEntries();
  const first = barEntries(entries);
  const rest = entries.filter((entry) => !first.includes(entry));
  const isElsewhere = !first.some((entry) => isWithin(entry, path));
  return (
    <nav className={styles.bar} aria-label={t('shell.menu.label')}>
      {first.map((entry) => {
        const name = t(entry.short ?? entry.name);
        // Home is where it says what needs a hand.
        const hasAlarm = entry.to === '/' && alarmed > 0;
        return (
          <Link
            key={entry.to}
            className={`${typography.note} ${control.bare} ${styles.place}`}
            to={entry.to}
            activeOptions={{ exact: entry.to === '/', includeSearch: false }}
            // A link marks itself at its own screen alone.
            aria-current={entry.to === parentOf(path) ? 'page' : undefined}
            {...(hasAlarm ? { 'aria-label': t('shell.menu.with_channel_alarms', { name, count: alarmed }) } : {})}
          >
            <NavIcon name={entry.icon} large hasAlarm={hasAlarm} />
            {name}
          </Link>
        );
      })}
      <button
        type="button"
        className={`${typography.note} ${control.bare} ${styles.place}`}
        aria-haspopup="dialog"
        aria-expanded={isMoreOpen}
        aria-current={isElsewhere ? 'page' : undefined}
        onClick={() => {
          setOpened(true);
          setMoreOpen(true);
        }}
      >
        <Icon name="more" large />
        {t('shell.menu.more')}
      </button>
      {wasOpened && (
        <Suspense fallback={null}>
          <MoreSheet opened={isMoreOpen} entries={rest} onClose={() => setMoreOpen(false)} />
        </Suspense>
      )}
    </nav>
  );
}
