import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { mayActOn, Role } from '#shared/roles.ts';
import type { User } from '#shared/user.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import styles from './no-credit.module.css';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';

/** Shows users without credit how to get some: their calls would be refused. With `canTopUp` the wallet accepts payments. */
export function NoCredit({ user, canTopUp }: { user: Pick<User, 'id' | 'role'>; canTopUp: boolean }) {
  const { t } = useTranslation();
  return (
    <p className={`${layout.baseline} ${styles.line}`}>
      <StatusMark status="look" strong>
        {t('shell.credit.none')}
      </StatusMark>
      {mayActOn(user.role, user.role) ? (
        <>
          <span>{t('shell.credit.give')}</span>
          <Link to="/user/edit/$id" params={{ id: String(user.id) }}>
            {t('shell.credit.give_link')}
          </Link>
        </>
      ) : canTopUp ? (
        <>
          <span>{t('shell.credit.top_up')}</span>
          <Link to="/topup">{t('shell.credit.top_up_link')}</Link>
        </>
      ) : (
        <>
          {/* Administrators give credit to others alone. */}
          <span>{t(user.role >= Role.admin ? 'shell.credit.ask_root' : 'shell.credit.ask')}</span>
          <Link to="/topup">{t('shell.credit.redeem_link')}</Link>
        </>
      )}
    </p>
  );
}
