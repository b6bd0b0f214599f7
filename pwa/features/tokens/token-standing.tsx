import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { type Token, TokenStatus } from '#shared/tokens.ts';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { siteAddress, useSiteStatus } from '#pwa/api/site-status.ts';
import { CopyButton, CopyText } from '#pwa/ui/controls/copy-text.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { SummaryList } from '#pwa/ui/frame/side-panel.tsx';
import { chatAddress, maskKey, wholeKey } from '#pwa/api/token-key.ts';
import { Balance, TokenMark } from './token-labels.tsx';
import styles from './tokens.module.css';

/** Status, key and balance as they are now, above the form. */
export function TokenStanding({ token }: { token: Token }) {
  const { t } = useTranslation();
  const format = useFormat();
  const key = wholeKey(token);
  // A kept token has no key; while the whole one comes its room is kept.
  const isOnline = useIsOnline();
  return (
    <div className={styles.standing}>
      <TokenMark status={token.status} />
      <Balance token={token} size="normal" />
      <SummaryList
        items={[
          {
            name: t('tokens.panel.key'),
            value:
              key === undefined ? (
                <span className={styles.masked}>sk-{maskKey(token.key)}</span>
              ) : (
                <CopyText mono text={key} shown={`sk-${maskKey(token.key)}`} label={t('tokens.action.copy_named', { name: token.name })} />
              ),
          },
          { name: t('tokens.column.used'), value: format.quota(token.used_quota) },
          { name: t('tokens.column.created'), value: format.dateTime(token.created_time) },
          ...(token.accessed_time > token.created_time
            ? [{ name: t('tokens.column.accessed'), value: format.dateTime(token.accessed_time) }]
            : []),
        ]}
      />
      {key !== undefined ? (
        <div className={styles.keyActions}>
          <CopyButton label={t('tokens.action.copy_key')} text={key} />
          {token.status === TokenStatus.enabled && (
            <Button
              variant="default"
              renderRoot={(attributes) => <Link {...attributes} to="/first-call" search={{ token: String(token.id) }} />}
            >
              {t('tokens.action.connect')}
            </Button>
          )}
          <ChatLinks apiKey={key} />
        </div>
      ) : (
        isOnline && <div className={styles.keyActions} />
      )}
    </div>
  );
}

/** Chat applications that the site offers, opened with this key. */
function ChatLinks({ apiKey }: { apiKey: string }) {
  const { t } = useTranslation();
  const status = useSiteStatus();
  const address = siteAddress(status);
  const links = (status?.chats ?? []).flatMap((chat) =>
    Object.entries(chat).flatMap(([name, template]) => {
      const href = chatAddress(template, { key: apiKey, address });
      return href === undefined ? [] : [{ name, href }];
    }),
  );
  if (links.length === 0) return null;
  return (
    <details className={styles.chats}>
      <summary>
        {t('tokens.chat.open')}
        <Icon name="down" />
      </summary>
      <p className={styles.hint}>{t('tokens.chat.hint')}</p>
      <ul>
        {links.map(({ name, href }) => (
          <li key={name}>
            <a href={href} target="_blank" rel="noopener noreferrer">
              {name}
              <Icon name="link" />
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}
