import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Role } from '#shared/roles.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import styles from './chat.module.css';

/** Says that no chat application is set up; an administrator is the one who can change that. */
export function NoLinks() {
  const { t } = useTranslation();
  const isAdmin = (useStoredUser()?.role ?? Role.guest) >= Role.admin;
  if (!isAdmin) return <p className={styles.words}>{t('chat.none')}</p>;
  return (
    <p className={styles.words}>
      {t('chat.none_admin')}{' '}
      <Link to="/setting" search={{ tab: 'chats' }}>
        {t('chat.add')}
      </Link>
    </p>
  );
}
