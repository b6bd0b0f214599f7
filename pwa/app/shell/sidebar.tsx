import { ActionIcon } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useActing } from '#pwa/api/acting.ts';
import { chatLinks } from '#pwa/api/chat-links.ts';
import { useChannelAlarms } from '#pwa/api/disabled-channels.ts';
import { isUnfunded, warningThreshold } from '#pwa/api/low-water.ts';
import { accountQuery } from '#pwa/api/account.ts';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { BalanceMeter } from '#pwa/ui/billing/balance-meter.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { serverWords } from '#pwa/ui/server-words.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { type MenuEntry, menuSections, parentOf } from './menu-entries.ts';
import { NavIcon } from './nav-icon.tsx';
import styles from './sidebar.module.css';
import { useMenuEntries } from './use-menu-entries.ts';

interface SidebarProps {
  /** Icons only: on a tablet always, at a desk by choice. */
  isRail: boolean;
  /** Absent: the width leaves no choice. */
  onFold?: ((value: boolean) => void) | undefined;
}

export function Sidebar({ isRail, onFold }: SidebarProps) {
  const { t } = useTranslation();
  const entries = useMenuEntries();
  const foldName = t(isRail ? 'shell.sidebar.expand' : 'shell.sidebar.collapse');
  const sections = menuSections
    .map((section) => ({ section, entries: entries.filter((entry) => entry.section === section) }))
    .filter((part) => part.entries.length > 0);
  return (
    <nav className={styles.nav} aria-label={t('shell.menu.label')} data-rail={isRail || undefined}>
      {sections.map((part, index) => (
        <div key={part.section} className={styles.part}>
          {index > 0 && !isRail && <h2 className={`${typography.note} ${styles.section}`}>{t(`shell.menu.${part.section}`)}</h2>}
          <Entries entries={part.entries} isRail={isRail} />
        </div>
      ))}
      <div className={`${layout.stackSm} ${styles.foot}`}>
        {!isRail && <OwnBalance />}
        {onFold !== undefined && (
          <ActionIcon aria-label={foldName} title={foldName} aria-expanded={!isRail} onClick={() => onFold(!isRail)}>
            <Icon name={isRail ? 'expand' : 'collapse'} />
          </ActionIcon>
        )}
      </div>
    </nav>
  );
}

function Entries({ entries, isRail }: { entries: MenuEntry[]; isRail: boolean }) {
  const { t } = useTranslation();
  const alarmed = useChannelAlarms();
  const parent = useRouterState({ select: (state) => parentOf(state.location.pathname) });
  const [tip, setTip] = useState<{ text: string; at: DOMRect }>();
  const hideTip = (): void => setTip(undefined);
  return (
    <>
      <ul>
        {entries.map((entry) => {
          const name = t(entry.name);
          const alarms = entry.to === '/channel' ? alarmed : 0;
          const whole = alarms === 0 ? name : t('shell.menu.with_alarms', { name, count: alarms });
          const showTip = ({ currentTarget }: { currentTarget: Element }): void => {
            if (isRail) setTip({ text: whole, at: currentTarget.getBoundingClientRect() });
          };
          return (
            <li key={entry.to}>
              <Link
                className={styles.entry}
                to={entry.to}
                activeOptions={{ exact: entry.to === '/' || entry.to === '/chat', includeSearch: false }}
                // A link marks itself at its own screen alone.
                aria-current={entry.to === parent ? 'page' : undefined}
                {...(isRail || alarms > 0 ? { 'aria-label': whole } : {})}
                onMouseEnter={showTip}
                onFocus={showTip}
                onMouseLeave={hideTip}
                onBlur={hideTip}
                onClick={hideTip}
              >
                <NavIcon name={entry.icon} large={isRail} hasAlarm={isRail && alarms > 0} />
                {!isRail && name}
                {!isRail && alarms > 0 && ' '}
                {!isRail && alarms > 0 && (
                  <span className={styles.alarms}>
                    <StatusMark status="auto">{alarms}</StatusMark>
                  </span>
                )}
              </Link>
              {entry.to === '/chat' && !isRail && <Chats />}
            </li>
          );
        })}
      </ul>
      {tip !== undefined && (
        // The link has the same name for those who do not see it.
        <span
          className={`${typography.small} ${styles.tip}`}
          aria-hidden="true"
          style={{ top: tip.at.top + tip.at.height / 2, left: tip.at.right + 8 }}
        >
          {tip.text}
        </span>
      )}
    </>
  );
}

/** The chat applications of the site, once one of them or their list is open. */
function Chats() {
  const { t } = useTranslation();
  const isOpen = useRouterState({ select: ({ location }) => /^\/chat(?:\/|$)/.test(location.pathname) });
  const links = chatLinks(useSiteStatus());
  if (!isOpen || links.length === 0) return null;
  return (
    <ul>
      {links.map(({ name }, index) => (
        // The address names them by their place.
        <li key={index}>
          <Link className={`${styles.entry} ${styles.sub}`} to="/chat/$id" params={{ id: String(index) }} title={serverWords(t, name)}>
            <span className={styles.subName}>{serverWords(t, name)}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

function OwnBalance() {
  const { t } = useTranslation();
  const format = useFormat();
  const acting = useActing();
  const { data: self } = useQuery(accountQuery());
  // Home and wallet have it large.
  const isLarge = useRouterState({
    select: ({ location: { pathname } }) => pathname === '/topup' || pathname === '/' || parentOf(pathname) === '/',
  });
  if (self === undefined || isLarge) return null;
  return (
    <div className={styles.balance}>
      <BalanceMeter
        label={acting === null ? t('shell.balance') : acting.name}
        value={self.quota}
        fullMark={self.full_mark}
        isUnfilled={isUnfunded(self)}
        lowMark={warningThreshold(self)}
        valueText={format.quota(self.quota)}
        size="small"
      />
    </div>
  );
}
