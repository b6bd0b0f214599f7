import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { safeLink } from '#shared/links.ts';
import { chatLinks, ownChatTemplate } from '#pwa/api/chat-links.ts';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import styles from './chat.module.css';
import { GivenKey } from './given-key.tsx';
import { NoLinks } from './no-links.tsx';

/** Leads to the site's chat page with the token that is given to it; without such a page, to the first chat application. */
export function ChatRedirect() {
  const { t } = useTranslation();
  return (
    <Screen title={t('chat.title')} layout="page">
      <Leading />
    </Screen>
  );
}

function Leading() {
  const { t } = useTranslation();
  const status = useSiteStatus();
  const template = ownChatTemplate(status);
  if (status === undefined) return <Loading />;
  if (template !== '')
    return (
      <GivenKey link={{ name: status.system_name, template }}>
        {(address) => (safeLink(address, 'web') === undefined ? <Problem text={t('chat.bad_link')} /> : <Leave address={address} />)}
      </GivenKey>
    );
  return chatLinks(status).length === 0 ? <NoLinks /> : <FirstLink />;
}

function Leave({ address }: { address: string }) {
  useEffect(() => location.replace(address), [address]);
  return <Loading />;
}

function FirstLink() {
  const navigate = useNavigate();
  useEffect(() => void navigate({ to: '/chat/$id', params: { id: '0' }, replace: true }), [navigate]);
  return <Loading />;
}

function Loading() {
  const { t } = useTranslation();
  return (
    <p className={styles.words} role="status">
      {t('chat.loading')}
    </p>
  );
}

function Problem({ text }: { text: string }) {
  return (
    <p className={styles.words} role="alert">
      <StatusMark status="failed">{text}</StatusMark>
    </p>
  );
}
