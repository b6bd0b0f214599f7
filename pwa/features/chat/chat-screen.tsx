import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { safeLink } from '#shared/links.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { siteAddress, useSiteStatus } from '#pwa/api/site-status.ts';
import { chatAddress } from '#pwa/api/token-key.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { ForeignPage } from '#pwa/ui/frame/foreign-page.tsx';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { type ChatLink, chatLinks } from '#pwa/api/chat-links.ts';
import { serverWords } from '#pwa/ui/server-words.ts';
import styles from './chat.module.css';
import type { ChatKey } from './queries.ts';
import { useChatKey } from './use-chat-key.ts';

/** One chat application within the console, or the way to it where it is a program of the device. `index`: as the address has it. */
export function ChatScreen({ index }: { index: string }) {
  const { t } = useTranslation();
  const user = useStoredUser();
  const status = useSiteStatus();
  const link = /^\d{1,4}$/.test(index) ? chatLinks(status)[Number(index)] : undefined;
  const title = link === undefined ? t('chat.title') : serverWords(t, link.name);
  return (
    <Screen title={title} back="/chat" layout="page">
      {user === null ? (
        <p className={styles.words}>
          {t('chat.signed_out')}{' '}
          <Link to="/login" search={{ from: `/chat/${index}` }}>
            {t('chat.sign_in')}
          </Link>
        </p>
      ) : link === undefined ? (
        <p className={styles.words} role="alert">
          <StatusMark status="failed">{t('chat.no_link')}</StatusMark>
        </p>
      ) : (
        <Opened link={link} />
      )}
    </Screen>
  );
}

function Opened({ link }: { link: ChatLink }) {
  const { t } = useTranslation();
  const query = useChatKey();
  return (
    <QueryState query={query} what={serverWords(t, link.name)} lines={4}>
      {(key) =>
        key === null ? (
          <p className={styles.words} role="alert">
            <StatusMark status="failed">{t('chat.no_token')}</StatusMark>
          </p>
        ) : (
          <WithKey link={link} chatKey={key} />
        )
      }
    </QueryState>
  );
}

function WithKey({ link, chatKey: { key, name } }: { link: ChatLink; chatKey: ChatKey }) {
  const { t } = useTranslation();
  const status = useSiteStatus();
  const address = chatAddress(link.template, { key, address: siteAddress(status) });
  if (address === undefined) {
    return (
      <p className={styles.words} role="alert">
        <StatusMark status="failed">{t('chat.bad_link')}</StatusMark>
      </p>
    );
  }
  const isPage = safeLink(address, 'web') !== undefined;
  // A page that is loaded safely may frame only such pages.
  const canFrame = isPage && !(location.protocol === 'https:' && address.toLowerCase().startsWith('http:'));
  return (
    <>
      <p className={styles.line}>
        <StatusMark status="note">{t('chat.given', { token: name, place: placeOf(address) })}</StatusMark>
        <a className={styles.open} href={address} {...(isPage ? { target: '_blank' } : {})} rel="noreferrer noopener">
          {t(isPage ? 'chat.new_tab' : 'chat.program')}
        </a>
      </p>
      {canFrame && <ForeignPage address={address} title={link.name} allow="microphone; clipboard-write" />}
    </>
  );
}

/** Who gets the key: the server of a page, or the program. */
function placeOf(address: string): string {
  const { host, protocol } = new URL(address);
  return protocol.startsWith('http') ? host : protocol.replace(':', '');
}
