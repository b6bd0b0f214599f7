import { ActionIcon } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { warningThreshold } from '#pwa/api/low-water.ts';
import { selfQuery, useStoredUser } from '#pwa/api/self.ts';
import { useFormat } from '#pwa/ui/format-context.ts';
import { Icon } from '#pwa/ui/icon.tsx';
import { Level } from '#pwa/ui/level.tsx';

import { type MenuEntry, menuEntries } from './menu-entries.ts';
import styles from './sidebar.module.css';

interface SidebarProps {
  isCollapsed: boolean;
  onCollapse: (value: boolean) => void;
}

export function Sidebar({ isCollapsed, onCollapse }: SidebarProps) {
  const { t } = useTranslation();
  const router = useRouter();
  const user = useStoredUser();
  const entries = menuEntries(router, user?.role ?? 0);
  const admin = entries.filter((entry) => entry.section === 'admin');
  const toggleName = t(isCollapsed ? 'shell.sidebar.expand' : 'shell.sidebar.collapse');
  return (
    <nav className={styles.nav} aria-label={t('shell.menu.label')} data-collapsed={isCollapsed || undefined}>
      <Entries entries={entries.filter((entry) => entry.section === 'main')} isCollapsed={isCollapsed} />
      {admin.length > 0 && (
        <>
          <h2 className={styles.section}>{isCollapsed ? <span className={styles.rule} /> : t('shell.menu.admin')}</h2>
          <Entries entries={admin} isCollapsed={isCollapsed} />
        </>
      )}
      <div className={styles.foot}>
        {!isCollapsed && <OwnBalance />}
        <ActionIcon aria-label={toggleName} title={toggleName} aria-expanded={!isCollapsed} onClick={() => onCollapse(!isCollapsed)}>
          <Icon name={isCollapsed ? 'expand' : 'collapse'} />
        </ActionIcon>
      </div>
    </nav>
  );
}

function Entries({ entries, isCollapsed }: { entries: MenuEntry[]; isCollapsed: boolean }) {
  const { t } = useTranslation();
  return (
    <ul>
      {entries.map((entry) => (
        <li key={entry.to}>
          <Link
            className={styles.entry}
            to={entry.to}
            activeOptions={{ exact: entry.to === '/', includeSearch: false }}
            {...(isCollapsed ? { title: t(entry.name), 'aria-label': t(entry.name) } : {})}
          >
            <Icon name={entry.icon} />
            {!isCollapsed && t(entry.name)}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function OwnBalance() {
  const { t } = useTranslation();
  const format = useFormat();
  const { data: self } = useQuery(selfQuery);
  if (self === undefined) return null;
  return (
    <div className={styles.balance}>
      <Level
        label={t('shell.balance')}
        value={self.quota}
        fullMark={self.full_mark}
        lowMark={warningThreshold(self)}
        valueText={format.quota(self.quota)}
        size="small"
      />
    </div>
  );
}
