import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '#pwa/ui/controls/copy-text.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import styles from './first-call.module.css';
import { type SnippetKind, snippetKinds, snippetParts, snippetText } from './snippets.ts';

interface CallSnippetProps {
  baseUrl: string;
  /** The key without `sk-`. */
  secret: string;
  model: string;
  isPrimary: boolean;
}

const names: Record<SnippetKind, string> = { curl: 'curl', python: 'Python', node: 'Node' };

/** Code that makes the call. On the screen the key is masked until it is asked for; what is copied holds it whole. */
export function CallSnippet({ baseUrl, secret, model, isPrimary }: CallSnippetProps) {
  const { t } = useTranslation();
  const [kind, setKind] = useState<SnippetKind>('curl');
  const [isShown, setShown] = useState(false);
  const key = `sk-${secret}`;
  const masked = `sk-${secret.slice(0, 4)}${'•'.repeat(8)}${secret.slice(-4)}`;
  return (
    <div className={styles.snippetColumn}>
      <div className={styles.snippet}>
        <div className={styles.snippetHead}>
          <Segments
            label={t('guide.snippet.language')}
            value={kind}
            options={snippetKinds.map((value) => ({ value, label: names[value] }))}
            onChange={setKind}
          />
          <span className={styles.space} />
          <Button variant="subtle" leftSection={<Icon name={isShown ? 'eye-off' : 'eye'} />} onClick={() => setShown(!isShown)}>
            {t(isShown ? 'guide.snippet.hide' : 'guide.snippet.show')}
          </Button>
          <span className={styles.copy}>
            <CopyButton
              variant={isPrimary ? 'filled' : 'default'}
              label={t('guide.snippet.copy')}
              text={snippetText(kind, { baseUrl, key, model })}
            />
          </span>
        </div>
        {/* It scrolls by itself, so the keyboard must be able to. */}
        {/* oxlint-disable-next-line jsx_a11y/no-noninteractive-tabindex */}
        <pre className={styles.code} tabIndex={0} role="region" aria-label={names[kind]}>
          {snippetParts(kind, { baseUrl, key: isShown ? key : masked, model }).map(({ text, isOwn }, index) => (
            // Pieces have no name but their place.
            <span key={index} className={isOwn ? styles.own : undefined}>
              {text}
            </span>
          ))}
        </pre>
      </div>
      <p className={styles.note}>{t(isShown ? 'guide.snippet.note_shown' : 'guide.snippet.note')}</p>
    </div>
  );
}
