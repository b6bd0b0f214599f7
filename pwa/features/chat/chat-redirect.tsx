import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { safeLink } from '#shared/links.ts';
import { siteAddress, useSiteStatus } from '#pwa/api/site-status.ts';
import { chatAddress } from '#pwa/api/token-key.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { chatLinks, ownChatTemplate } from '#pwa/api/chat-links.ts';
import styles from './chat.module.css';
import type { ChatKey } from './queries.ts';
import { useChatKey } from './use-chat-key.ts';

/** Leads to the site's chat page with the first enabled token; without such a page, to the first chat application. */
export function ChatRedirect() {
  const { t } = useTranslation();
  const query = useChatKey();
  return (
    <Screen title={t('chat.title')} layout="page">
      <QueryState query={query} what={t('chat.title')} lines={2}>
        {(key) =>
          key === null ? (
            <p className={styles.words} role="alert">
              <StatusMark status="failed">{t('chat.no_token')}</StatusMark>
            </p>
          ) : (
            <Leading chatKey={key} />
          )
        }
      </QueryState>
    </Screen>
  );
}

function Leading({ chatKey: { key } }: { chatKey: ChatKey }) {
  const { t } = useTranslation();
  const status = useSiteStatus();
  const navigate = useNavigate();
  const template = ownChatTemplate(status);
  const address = chatAddress(template, { key, address: siteAddress(status) });
  const page = address === undefined ? undefined : safeLink(address, 'web');
  const hasLinks = chatLinks(status).length > 0;
  const isKnown = status !== undefined;
  const problem = !isKnown
    ? undefined
    : template !== '' && page === undefined
      ? 'chat.bad_link'
      : template === '' && !hasLinks
        ? 'chat.no_link'
        : undefined;
  useEffect(() => {
    if (page !== undefined) location.replace(page);
    else if (isKnown && problem === undefined) void navigate({ to: '/chat/$id', params: { id: '0' }, replace: true });
  }, [page, isKnown, problem, navigate]);
  return problem === undefined ? (
    <p className={styles.words} role="status">
      {t('chat.loading')}
    </p>
  ) : (
    <p className={styles.words} role="alert">
      <StatusMark status="failed">{t(problem)}</StatusMark>
    </p>
  );
}
