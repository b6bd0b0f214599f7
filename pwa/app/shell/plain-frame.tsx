import { Link, Outlet } from '@tanstack/react-router';
import { useHeading } from '#pwa/ui/frame/screen-heading.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import { LanguageSwitch } from './language-switch.tsx';
import { ModeTag } from './mode-tag.tsx';
import styles from './plain-frame.module.css';
import { SiteMark } from './site-mark.tsx';
import { ThemeMenu } from './theme-menu.tsx';
import { useSiteIdentity } from './use-site-identity.ts';

/** One form in the middle, with the product's name above. */
export function PlainFrame() {
  const siteName = useSiteIdentity(useHeading().title);
  return (
    <div className={styles.frame}>
      <header className={`${layout.row} ${styles.bar}`}>
        <Link className={`${layout.row} ${styles.brand}`} to="/">
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
