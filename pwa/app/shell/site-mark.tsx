import { safePicture } from '#shared/links.ts';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { Mark } from '#pwa/ui/controls/icon.tsx';
import styles from './site-mark.module.css';

/** The site's own logo, or the product's mark. */
export function SiteMark() {
  const logo = safePicture(useSiteStatus()?.logo ?? '');
  return logo === undefined ? <Mark /> : <img className={styles.logo} src={logo} alt="" referrerPolicy="no-referrer" />;
}
