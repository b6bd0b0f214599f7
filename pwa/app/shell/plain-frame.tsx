import { Link, Outlet } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { useHeading } from '#pwa/ui/frame/screen-heading.ts';
import { LanguageSwitch } from './language-switch.tsx';
import { ModeTag } from './mode-tag.tsx';
import styles from './plain-frame.module.css';
import { SiteMark } from './site-mark.tsx';
import { ThemeMenu } from './theme-menu.tsx';

/** One form in the middle, with the product's name above. */
export function PlainFrame() {
  const siteName = useSiteStatus()?.system_name || 'Tidegate';
  const { title } = useHeading();
  useEffect(() => {
    document.title = title === '' ? siteName : `${title} · ${siteName}`;
  }, [title, siteName]);
  return (
    <div className={styles.frame}>
      <header className={styles.bar}>
        <Link className={styles.brand} to="/">
          <SiteMark />
          {siteName}
        </Link>
        <ModeTag />
        <span className={styles.space} />
        <LanguageSwitch />
        <ThemeMenu />
      </header>
      <main className={styles.main} id="main">
        <Outlet />
      </main>
    </div>
  );
}
