import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { safeLink } from '#shared/links.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { ForeignPage } from '#pwa/ui/frame/foreign-page.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { type ChatLink, chatLinks } from '#pwa/api/chat-links.ts';
import { serverWords } from '#pwa/ui/server-words.ts';
import control from '#pwa/ui/styles/control.module.css';
import styles from './chat.module.css';
import { GivenKey, placeOf } from './given-key.tsx';

interface ChatScreenProps {
  /** As the address has it. */
  index: string;
  /** The token whose panel led here. */
  tokenId: number | undefined;
}

/** One chat application within the console, or the way to it where it is a program of the device. */
export function ChatScreen({ index, tokenId }: ChatScreenProps) {
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
        <GivenKey link={link} tokenId={tokenId}>
          {(address, key, onForget) => <Page link={link} address={address} token={key?.name} onForget={onForget} />}
        </GivenKey>
      )}
    </Screen>
  );
}

function Page({ link, address, token, onForget }: { link: ChatLink; address: string; token: string | undefined; onForget: () => void }) {
  const { t } = useTranslation();
  const isPage = safeLink(address, 'web') !== undefined;
  // A page that is loaded safely may frame only such pages.
  const canFrame = isPage && !(location.protocol === 'https:' && address.toLowerCase().startsWith('http:'));
  return (
    <>
      <p className={styles.line}>
        {token !== undefined && <StatusMark status="note">{t('chat.given', { token, place: placeOf(address) })}</StatusMark>}
        <a className={`${control.bare} ${styles.open}`} href={address} {...(isPage ? { target: '_blank' } : {})} rel="noreferrer noopener">
          {t(isPage ? 'chat.new_tab' : 'chat.program')}
        </a>
        {token !== undefined && (
          <button type="button" className={`${control.bare} ${styles.open}`} onClick={onForget}>
            {t('chat.other_key')}
          </button>
        )}
      </p>
      {canFrame && <ForeignPage address={address} title={link.name} allow="microphone; clipboard-write" />}
    </>
  );
}
