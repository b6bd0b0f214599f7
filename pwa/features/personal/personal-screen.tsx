import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { User } from '#shared/user.ts';
import { selfQuery } from '#pwa/api/self.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { LowBalanceForm } from './low-balance-form.tsx';
import { NameForm } from './name-form.tsx';
import { NoticeForm } from './notice-form.tsx';
import { PasswordForm } from './password-form.tsx';
import styles from './personal.module.css';
import { SaveBar } from './save-bar.tsx';
import { useOwnForm } from './use-own-form.ts';

const FurtherParts = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./further-parts.tsx'), loadTexts('account')]);
    return part;
  },
  (part) => part.FurtherParts,
);

interface PersonalScreenProps {
  /** Other ways to sign in and where one is signed in, of the feature that has them. */
  signIn?: ReactNode;
}

/** What a person changes of the own account. */
export function PersonalScreen({ signIn }: PersonalScreenProps) {
  const { t } = useTranslation();
  const self = useQuery(selfQuery);
  return (
    <Screen title={t('personal.title')} layout="page">
      <QueryState query={self} what={t('personal.title')} lines={4}>
        {(user) => <Parts key={user.id} user={user} signIn={signIn} />}
      </QueryState>
    </Screen>
  );
}

/** The fields stand in several blocks, and are saved together. The password is apart: it needs the former one, and ends sessions. */
function Parts({ user, signIn }: { user: User } & PersonalScreenProps) {
  const isPhone = useIsPhone();
  const form = useOwnForm(user);
  return (
    <>
      <div className={styles.parts}>
        {isPhone ? (
          <div className={styles.column}>
            <Person user={user} />
            <NameForm form={form} />
            {signIn}
            <PasswordForm username={user.username} />
            <LowBalanceForm user={user} form={form} />
            <NoticeForm user={user} form={form} />
            <FurtherParts user={user} form={form} />
          </div>
        ) : (
          <>
            <div className={styles.column}>
              <Person user={user} />
              <LowBalanceForm user={user} form={form} />
              <NoticeForm user={user} form={form} />
              {signIn}
            </div>
            <div className={styles.column}>
              <PasswordForm username={user.username} />
              <NameForm form={form} />
              <FurtherParts user={user} form={form} />
            </div>
          </>
        )}
      </div>
      <SaveBar form={form} />
    </>
  );
}

function Person({ user }: { user: User }) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <div className={styles.person}>
      <b>{user.display_name || user.username}</b>
      <span>{t('personal.facts', { username: user.username, id: user.id, group: user.group })}</span>
      <dl className={styles.figures}>
        <div>
          <dt>{t('personal.figures.used')}</dt>
          <dd>{format.quota(user.used_quota)}</dd>
        </div>
        <div>
          <dt>{t('personal.figures.requests')}</dt>
          <dd>{format.count(user.request_count)}</dd>
        </div>
      </dl>
    </div>
  );
}
