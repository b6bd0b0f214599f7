import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { UserToken } from '#shared/user-tokens.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { Refusal } from '#pwa/ui/form/refusal.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { Dialog, DialogFoot } from '#pwa/ui/frame/dialog.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { useFindKey } from './queries.ts';
import { endingText, UserTokenMark } from './user-token-mark.tsx';
import styles from './user-tokens.module.css';

interface FindKeyDialogProps {
  onOpen: (id: number) => void;
  onClose: () => void;
}

/** Answers who has a key, by the whole key or its last characters. */
export function FindKeyDialog({ onOpen, onClose }: FindKeyDialogProps) {
  const { t } = useTranslation();
  const [key, setKey] = useState('');
  const find = useFindKey();
  const handleFind = (event: FormEvent): void => {
    event.preventDefault();
    if (key.trim() !== '') find.mutate(key);
  };
  return (
    <Dialog title={t('user-tokens.find.title')} onClose={onClose}>
      <form className={layout.stackMd} onSubmit={handleFind}>
        <TextInput
          data-autofocus
          label={t('user-tokens.find.key')}
          description={t('user-tokens.find.hint')}
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
        />
        <div aria-live="polite">{find.data !== undefined && <FoundTokens {...find.data} onOpen={onOpen} />}</div>
        <Refusal text={find.error === null ? undefined : failureOf(find.error).message} />
        <DialogFoot>
          <Button onClick={onClose}>{t('user-tokens.find.close')}</Button>
          <OnlineButton
            variant="filled"
            type="submit"
            disabled={key.trim() === ''}
            loading={find.isPending}
            label={t('user-tokens.find.search')}
          />
        </DialogFoot>
      </form>
    </Dialog>
  );
}

interface FoundTokensProps {
  items: readonly UserToken[];
  searches_ending: boolean;
  replaced?: readonly number[] | undefined;
  onOpen: (id: number) => void;
}

function FoundTokens({ items, searches_ending: isEnding, replaced, onOpen }: FoundTokensProps) {
  const { t } = useTranslation();
  if (items.length === 0)
    return <p className={typography.muted}>{t(isEnding ? 'user-tokens.find.no_ending' : 'user-tokens.find.hidden')}</p>;
  return (
    <ul className={`${layout.stackSm} ${styles.list}`}>
      {items.map((token) => (
        <li key={token.id} className={layout.spread}>
          <span className={styles.found}>
            <b>{token.owner.username}</b> <span className={typography.muted}>#{token.owner.id}</span>
            <br />
            {token.name} <span className={typography.mono}>{endingText(token)}</span> <UserTokenMark token={token} />
            {replaced?.includes(token.id) === true && (
              <StatusMark status="note">{t(isEnding ? 'user-tokens.find.replaced_ending' : 'user-tokens.find.replaced')}</StatusMark>
            )}
          </span>
          <Button onClick={() => onOpen(token.id)}>{t('user-tokens.find.open')}</Button>
        </li>
      ))}
    </ul>
  );
}
