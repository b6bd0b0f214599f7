import { Outlet } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStoredUser } from '#pwa/api/self.ts';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { useIsPhone } from '#pwa/ui/breakpoint.ts';
import { BottomBar } from './bottom-bar.tsx';
import styles from './shell.module.css';
import { Sidebar } from './sidebar.tsx';
import { TopBar } from './top-bar.tsx';

const collapseKey = 'default_collapse_sidebar';

/** The frame around every screen but the sign-in: top bar, sidebar at a desk, bottom bar on a phone. */
export function Shell() {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const user = useStoredUser();
  const [isCollapsed, setCollapsed] = useCollapsed();
  const hasSidebar = user !== null && !isPhone;
  return (
    <div className={styles.shell} data-sidebar={hasSidebar ? (isCollapsed ? 'collapsed' : 'open') : 'none'}>
      <a className={styles.skip} href="#main">
        {t('shell.skip')}
      </a>
      <TopBar isPhone={isPhone} isBrandNarrow={hasSidebar && isCollapsed} />
      {hasSidebar && <Sidebar isCollapsed={isCollapsed} onCollapse={setCollapsed} />}
      <div className={styles.sheet}>
        <Outlet />
      </div>
      {isPhone && user !== null && <BottomBar />}
    </div>
  );
}

/** Remembered per device; until somebody chooses, as the site says. */
function useCollapsed(): [boolean, (value: boolean) => void] {
  const siteDefault = useSiteStatus()?.default_collapse_sidebar ?? false;
  const [chosen, setChosen] = useState(() => localStorage.getItem(collapseKey));
  function choose(value: boolean): void {
    localStorage.setItem(collapseKey, String(value));
    setChosen(String(value));
  }
  return [chosen === null ? siteDefault : chosen === 'true', choose];
}
