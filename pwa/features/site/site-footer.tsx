import { useTranslation } from 'react-i18next';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { RichText } from '#pwa/ui/markdown/rich-text.tsx';
import styles from './site-content.module.css';

/** The administrator's line below public pages; else what this is. */
export function SiteFooter() {
  const { t } = useTranslation();
  const status = useSiteStatus();
  if (status === undefined) return null;
  return (
    <footer className={styles.footer}>
      {status.footer_html.trim() === '' ? (
        <p>{t('site.footer', { name: status.system_name || 'Tidegate', version: status.version })}</p>
      ) : (
        <RichText text={status.footer_html} hasHtml lines={1} />
      )}
    </footer>
  );
}
