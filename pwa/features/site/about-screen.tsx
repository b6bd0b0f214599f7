import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Role } from '#shared/roles.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { Block } from '#pwa/ui/frame/block.tsx';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { RichText } from '#pwa/ui/markdown/rich-text.tsx';
import { InstallationFacts } from './installation-facts.tsx';
import { aboutQuery, noticeQuery } from './queries.ts';
import { SiteContent } from './site-content.tsx';
import styles from './site-content.module.css';
import { SiteFooter } from './site-footer.tsx';
import { UpdateCheck } from './update-check.tsx';

export function AboutScreen() {
  const { t } = useTranslation();
  const about = useQuery(aboutQuery);
  const notice = useQuery(noticeQuery).data ?? '';
  const status = useSiteStatus();
  const isAdmin = (useStoredUser()?.role ?? 0) >= Role.admin;
  const isFramed = about.data?.trim().startsWith('https://') === true;
  if (isFramed) {
    return (
      <Screen title={t('site.about')} layout="page">
        <div className={styles.page} data-framed>
          <SiteContent content={about.data ?? ''} title={t('site.about')} />
        </div>
      </Screen>
    );
  }
  return (
    <Screen title={t('site.about')} layout="page">
      <div className={styles.page}>
        <div className={styles.about}>
          <QueryState query={about} what={t('site.about')} lines={6}>
            {(text) =>
              text.trim() === '' ? (
                <p>{isAdmin ? t('site.about_unset_admin') : t('site.about_unset')}</p>
              ) : (
                <SiteContent content={text} title={t('site.about')} />
              )
            }
          </QueryState>
        </div>
        {notice.trim() !== '' && (
          <Block title={t('site.notice')}>
            <RichText text={notice} hasHtml />
          </Block>
        )}
        {status !== undefined && (
          <Block title={t('site.installation')}>
            <InstallationFacts status={status} />
            {isAdmin && <UpdateCheck version={status.version} />}
          </Block>
        )}
        <SiteFooter />
      </div>
    </Screen>
  );
}
