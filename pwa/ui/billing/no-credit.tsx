import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import styles from './no-credit.module.css';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';

/** Who has no credit is told how to get some, not to make a call that would be refused. `canTopUp`: the wallet has a way. */
export function NoCredit({ canTopUp }: { canTopUp: boolean }) {
  const { t } = useTranslation();
  return (
    <p className={styles.line}>
      <StatusMark status="look" strong>
        {t('common.credit.none')}
      </StatusMark>
      {canTopUp ? (
        <>
          <span>{t('common.credit.top_up')}</span>
          <Link to="/topup">{t('common.credit.top_up_link')}</Link>
        </>
      ) : (
        <>
          <span>{t('common.credit.ask')}</span>
          <Link to="/topup">{t('common.credit.redeem_link')}</Link>
        </>
      )}
    </p>
  );
}
