import { useTranslation } from 'react-i18next';
import styles from './no-credit.module.css';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';

/** Who has no credit is told how to get some, not to make a call that would be refused. `topUpLink`: empty, there is none. */
export function NoCredit({ topUpLink }: { topUpLink: string }) {
  const { t } = useTranslation();
  const isLink = /^https?:\/\//i.test(topUpLink);
  return (
    <p className={styles.line}>
      <StatusMark status="look" strong>
        {t('common.credit.none')}
      </StatusMark>
      {isLink ? (
        <>
          <span>{t('common.credit.top_up')}</span>
          <a href={topUpLink} target="_blank" rel="noopener noreferrer">
            {t('common.credit.top_up_link')}
          </a>
        </>
      ) : (
        <span>{t('common.credit.ask')}</span>
      )}
    </p>
  );
}
