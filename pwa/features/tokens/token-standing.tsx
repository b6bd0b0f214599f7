import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { acceptedOldKeys, type Token, TokenStatus } from '#shared/tokens.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { chatLinks } from '#pwa/api/chat-links.ts';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { ManagedNote } from '#pwa/ui/controls/managed-by.tsx';
import { CopyButton, CopyText } from '#pwa/ui/controls/copy-text.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';
import { isFree } from '#pwa/records/managed-record.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { SummaryList } from '#pwa/ui/frame/side-panel.tsx';
import { serverWords } from '#pwa/ui/server-words.ts';
import { appText } from '#pwa/api/app-text.ts';
import { shownKey, wholeKey } from '#pwa/api/token-key.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { useEndOldKey } from './token-actions.ts';
import { Balance, TokenMark } from './token-labels.tsx';
import styles from './tokens.module.css';

const RenewDialog = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./renew-dialog.tsx'), loadTexts('token_edits')]);
    return part;
  },
  (part) => part.RenewDialog,
);

/** Status, key and balance as they are now, above the form. */
export function TokenStanding({ token }: { token: Token }) {
  const { t } = useTranslation();
  const format = useFormat();
  const key = wholeKey(token);
  const oldKeys = acceptedOldKeys(token);
  return (
    <div className={layout.stackMd}>
      <TokenMark status={token.status} />
      <AdministratorsWord token={token} />
      <ManagedNote file={token.managed_by} />
      <Balance token={token} size="normal" />
      <SummaryList
        items={[
          {
            name: t('tokens.panel.key'),
            value:
              key === undefined ? (
                <span className={`${typography.mono} ${styles.masked}`}>{shownKey(token)}</span>
              ) : (
                <CopyText mono text={key} shown={shownKey(token)} label={t('tokens.action.copy_named', { name: token.name })} />
              ),
          },
          ...(oldKeys.length > 0
            ? [{ name: t('tokens.old_key.label', { count: oldKeys.length }), value: <OldKeys id={token.id} until={oldKeys} /> }]
            : []),
          ...(token.application === undefined ? [] : [{ name: t('tokens.column.application'), value: appText(token.application) }]),
          { name: t('tokens.column.used'), value: format.quota(token.used_quota) },
          { name: t('tokens.column.created'), value: format.dateTime(token.created_time) },
          ...(token.accessed_time > token.created_time
            ? [{ name: t('tokens.column.accessed'), value: format.dateTime(token.accessed_time) }]
            : []),
        ]}
      />
      <KeyActions token={token} of={key} />
    </div>
  );
}

/** What can be done with the key. A stored token has none; while the whole one loads its space is reserved. */
function KeyActions({ token, of: key }: { token: Token; of: string | undefined }) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  if (key === undefined && token.key_ending === undefined) return isOnline && <div className={`${layout.wrap} ${styles.keyActions}`} />;
  if (key === undefined) {
    return (
      <div className={layout.stackXs}>
        <p className={typography.muted}>{t('tokens.key_hashed')}</p>
        <div className={`${layout.wrap} ${styles.keyActions}`}>{isFree(token, 'key') && <RenewSecret token={token} />}</div>
      </div>
    );
  }
  return (
    <div className={`${layout.wrap} ${styles.keyActions}`}>
      <CopyButton label={t('tokens.action.copy_key')} text={key} />
      {token.status === TokenStatus.enabled && (
        <Button
          variant="default"
          renderRoot={(attributes) => <Link {...attributes} to="/first-call" search={{ token: String(token.id) }} />}
        >
          {t('tokens.action.connect')}
        </Button>
      )}
      {isFree(token, 'key') && <RenewSecret token={token} />}
      <ChatLinks tokenId={token.id} />
    </div>
  );
}

/** Why an administrator disabled the token, and which limits are not the owner's to change, or to widen. */
function AdministratorsWord({ token: { blocked_reason: reason, held, stopped, bounds } }: { token: Token }) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <>
      {stopped !== undefined && (
        <StatusMark status="failed">{t('tokens.stopped', { by: stopped.by, time: format.dateTime(stopped.at) })}</StatusMark>
      )}
      {[...Map.groupBy(bounds ?? [], ({ by }) => by)].map(([by, set]) => (
        <StatusMark key={by} status="note">
          {t('tokens.bound', { by, limits: set.map(({ limit }) => t(`tokens.held.${limit}`)).join(', ') })}
        </StatusMark>
      ))}
      {reason !== undefined && <StatusMark status="failed">{t('tokens.blocked', { reason })}</StatusMark>}
      {held !== undefined && (
        <StatusMark status="note">
          {t('tokens.held.text', { limits: held.map((limit) => t(`tokens.held.${limit}`)).join(', ') })}
        </StatusMark>
      )}
    </>
  );
}

function RenewSecret({ token }: { token: Token }) {
  const { t } = useTranslation();
  const [isRenewing, setRenewing] = useState(false);
  return (
    <>
      <OnlineButton onClick={() => setRenewing(true)} label={t('tokens.action.renew')} />
      {isRenewing && <RenewDialog token={token} onClose={() => setRenewing(false)} />}
    </>
  );
}

/** Says until when each secret before the current one is accepted, and ends them. */
function OldKeys({ id, until }: { id: number; until: readonly number[] }) {
  const { t } = useTranslation();
  const format = useFormat();
  const end = useEndOldKey();
  return (
    <span className={`${layout.stackXs} ${styles.oldKey}`}>
      {until.map((time, index) => (
        <span key={index}>{t('tokens.old_key.until', { time: format.dateTime(time) })}</span>
      ))}
      <OnlineButton loading={end.isPending} onClick={() => end.mutate(id)} label={t('tokens.old_key.end', { count: until.length })} />
    </span>
  );
}

/** Chat applications that the site offers. Each needs consent before it receives this key. */
function ChatLinks({ tokenId }: { tokenId: number }) {
  const { t } = useTranslation();
  const links = chatLinks(useSiteStatus());
  if (links.length === 0) return null;
  return (
    <details className={`${layout.fill} ${styles.chats}`}>
      <summary>
        {t('tokens.chat.open')}
        <Icon name="down" />
      </summary>
      <ul>
        {links.map(({ name }, index) => (
          // The address names them by their place.
          <li key={index}>
            <Link to="/chat/$id" params={{ id: String(index) }} search={{ token: String(tokenId) }}>
              {serverWords(t, name)}
              <Icon name="right" />
            </Link>
          </li>
        ))}
      </ul>
    </details>
  );
}
