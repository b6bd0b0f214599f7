import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { chatLinks } from '#pwa/api/chat-links.ts';
import { serverWords } from '#pwa/ui/server-words.ts';
import styles from './chat.module.css';
import { NoLinks } from './no-links.tsx';

/** The chat applications to choose from. */
export function ChatsScreen() {
  const { t } = useTranslation();
  const links = chatLinks(useSiteStatus());
  return (
    <Screen title={t('chat.title')} layout="page">
      {links.length === 0 ? <NoLinks /> : <p className={styles.words}>{t('chat.intro')}</p>}
      <ul className={styles.list}>
        {links.map(({ name }, index) => (
          // The address names them by their place.
          <li key={index}>
            <Link className={styles.entry} to="/chat/$id" params={{ id: String(index) }}>
              {serverWords(t, name)}
            </Link>
          </li>
        ))}
      </ul>
    </Screen>
  );
}
