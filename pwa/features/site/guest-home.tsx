import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { homeContentQuery } from './queries.ts';
import { SiteContent } from './site-content.tsx';
import styles from './site-content.module.css';
import { SiteFooter } from './site-footer.tsx';
import { SiteNotice } from './site-notice.tsx';

/** What a visitor sees first: the administrators' page where there is one, else `children`. */
export function GuestHome({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const siteName = useSiteStatus()?.system_name || 'Tidegate';
  const content = useQuery(homeContentQuery).data ?? '';
  if (content.trim() === '') {
    return (
      <>
        {children}
        <SiteNotice />
      </>
    );
  }
  const isFramed = content.trim().startsWith('https://');
  return (
    <Screen title={siteName} layout="page">
      <div className={styles.page} data-framed={isFramed || undefined}>
        <SiteContent content={content} title={t('site.home_page')} />
        {!isFramed && <SiteFooter />}
      </div>
      <SiteNotice />
    </Screen>
  );
}
