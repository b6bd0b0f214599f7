import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { selfQuery } from '#pwa/api/self.ts';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { LowBalanceForm } from './low-balance-form.tsx';
import { NameForm } from './name-form.tsx';
import { PasswordForm } from './password-form.tsx';
import styles from './personal.module.css';

/** What a person changes of the own account. */
export function PersonalScreen() {
  const { t } = useTranslation();
  const self = useQuery(selfQuery);
  return (
    <Screen title={t('personal.title')} layout="page">
      <QueryState query={self} what={t('personal.title')} lines={4}>
        {(user) => (
          <div className={styles.parts}>
            <div className={styles.person}>
              <b>{user.display_name || user.username}</b>
              <span>{t('personal.facts', { username: user.username, id: user.id, group: user.group })}</span>
            </div>
            <LowBalanceForm key={`mark ${user.id}`} user={user} />
            <PasswordForm username={user.username} />
            <NameForm key={`name ${user.id}`} user={user} />
          </div>
        )}
      </QueryState>
    </Screen>
  );
}
