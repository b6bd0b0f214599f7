// No key leaves for a chat application before its owner has said which one. What was said is remembered for the link as it is.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useStoredUser } from '#pwa/api/self.ts';
import { siteAddress, useSiteStatus } from '#pwa/api/site-status.ts';
import { chatAddress } from '#pwa/api/token-key.ts';
import type { ChatLink } from '#pwa/api/chat-links.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { serverWords } from '#pwa/ui/server-words.ts';
import { AskKey } from './ask-key.tsx';
import styles from './chat.module.css';
import { type ChatKey, chatKeysQuery, consentsQuery, storeConsents } from './queries.ts';

interface GivenKeyProps {
  link: ChatLink;
  /** The token whose panel led here: it is proposed, and nothing that was said before counts. */
  tokenId?: number | undefined;
  /** Null: the link needs no key. */
  children: (address: string, key: ChatKey | null, onForget: () => void) => ReactNode;
}

export function GivenKey({ link, tokenId, children }: GivenKeyProps) {
  const { t } = useTranslation();
  const status = useSiteStatus();
  const fill = (key: string) => chatAddress(link.template, { key, address: siteAddress(status) });
  // What is wrong with the link is wrong with any key.
  const address = fill('sk-0');
  if (address === undefined) {
    return (
      <p className={styles.words} role="alert">
        <StatusMark status="failed">{t('chat.bad_link')}</StatusMark>
      </p>
    );
  }
  if (!link.template.includes('{key}')) return children(address, null, () => undefined);
  return (
    <WithKey link={link} tokenId={tokenId} place={placeOf(address)}>
      {(key, onForget) => children(fill(key.key) ?? address, key, onForget)}
    </WithKey>
  );
}

interface WithKeyProps {
  link: ChatLink;
  tokenId: number | undefined;
  place: string;
  children: (key: ChatKey, onForget: () => void) => ReactNode;
}

function WithKey({ link, tokenId, place, children }: WithKeyProps) {
  const { t } = useTranslation();
  const userId = useStoredUser()?.id ?? 0;
  const client = useQueryClient();
  const keys = useQuery({ ...chatKeysQuery(userId), enabled: userId !== 0 });
  const consents = useQuery({ ...consentsQuery(userId), enabled: userId !== 0 });
  useLeaveWithoutKey(keys.data?.length === 0);
  const set = (id: number | undefined): void => {
    const { [link.template]: _before, ...others } = client.getQueryData(consentsQuery(userId).queryKey) ?? {};
    const next = id === undefined ? others : { ...others, [link.template]: id };
    client.setQueryData(consentsQuery(userId).queryKey, next);
    void storeConsents(userId, next);
  };
  return (
    <QueryState query={keys} what={serverWords(t, link.name)} lines={4}>
      {(found) => {
        if (consents.data === undefined) return null;
        const given = found.find(({ id }) => id === consents.data[link.template]);
        if (given !== undefined && (tokenId === undefined || tokenId === given.id)) return children(given, () => set(undefined));
        if (found.length === 0)
          return (
            <p className={styles.words} role="alert">
              <StatusMark status="failed">{t('chat.no_token')}</StatusMark>
            </p>
          );
        return (
          <AskKey
            name={serverWords(t, link.name)}
            place={place}
            keys={found}
            proposed={tokenId}
            onGive={(key) => {
              client.setQueryData(chatKeysQuery(userId).queryKey, found.some(({ id }) => id === key.id) ? found : [key, ...found]);
              set(key.id);
            }}
          />
        );
      }}
    </QueryState>
  );
}

/** How long it is said that there is no token, before the tokens open, where one is made. Milliseconds. */
const readingTime = 1500;

function useLeaveWithoutKey(isMissing: boolean): void {
  const navigate = useNavigate();
  useEffect(() => {
    if (!isMissing) return;
    const timer = setTimeout(() => void navigate({ to: '/token' }), readingTime);
    return () => clearTimeout(timer);
  }, [isMissing, navigate]);
}

/** Who gets the key: the server of a page, or the program. */
export function placeOf(address: string): string {
  const { host, protocol } = new URL(address);
  return protocol.startsWith('http') ? host : protocol.replace(':', '');
}
