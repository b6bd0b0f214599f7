import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CallableKind } from '#pwa/api/chat-models.ts';
import { CopyButton } from '#pwa/ui/controls/copy-text.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import surface from '#pwa/ui/styles/surface.module.css';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './call-snippet.module.css';
import firstCallStyles from './first-call.module.css';
import { smallModelOf } from './program-models.ts';
import { type ClientKind, clientKinds, type CodeKind, codeKinds, type SnippetKind } from './snippet-blocks.ts';
import { claudeModelsOf, snippetParts, snippetText, snippetUses } from './snippets.ts';

interface CallSnippetProps {
  baseUrl: string;
  /** The key without `sk-`. */
  secret: string;
  model: string;
  /** Kind of call. */
  kind: CallableKind;
  /** All conversations that may be had, the best one for the program first. */
  models: readonly string[];
  isPrimary: boolean;
  shown: ShownCode;
  onShow: (shown: ShownCode) => void;
}

/** Which code is on screen, and which program's where it is one of those. */
export interface ShownCode {
  tab: CodeKind | 'clients';
  client: ClientKind;
}

/** What is to be known of a call that is not answered in words. */
const abouts: Partial<Record<CallableKind, 'transcript' | 'picture' | 'speech' | 'task'>> = {
  transcript: 'transcript',
  picture: 'picture',
  speech: 'speech',
  video: 'task',
  drawing: 'task',
  music: 'task',
};

/** As their makers write them. */
const names: Record<SnippetKind, string> = {
  curl: 'curl',
  python: 'Python',
  node: 'Node',
  claude_code: 'Claude Code',
  codex: 'Codex',
  gemini_cli: 'Gemini CLI',
  opencode: 'OpenCode',
  cursor: 'Cursor',
  cline: 'Cline',
  langchain: 'LangChain',
  anthropic: 'Anthropic SDK',
  google: 'Google Gen AI SDK',
};

/** Code of the call, or a program's configuration. On the screen the key is masked until the user reveals it; a copy holds it whole. */
export function CallSnippet({ baseUrl, secret, model, kind: asked, models, isPrimary, shown: { tab, client }, onShow }: CallSnippetProps) {
  const { t } = useTranslation();
  const [isShown, setShown] = useState(false);
  const isChat = asked === 'chat';
  const shown = isChat || tab !== 'clients' ? tab : 'curl';
  const kind = shown === 'clients' ? client : shown;
  const key = `sk-${secret}`;
  const about = asked === 'picture' && kind !== 'curl' ? undefined : abouts[asked];
  const smallModel = smallModelOf([model, ...models]) ?? model;
  const values = { baseUrl, model, kind: asked, claudeModels: claudeModelsOf(model, models), models, smallModel };
  const masked = `sk-${secret.slice(0, 4)}${'•'.repeat(8)}${secret.slice(-4)}`;
  return (
    <div className={styles.snippetColumn}>
      <div className={`${surface.well} ${styles.snippet}`}>
        <div className={styles.snippetHead}>
          <Segments
            label={t('guide.snippet.language')}
            value={shown}
            options={[
              ...codeKinds.map((value) => ({ value, label: names[value] })),
              ...(isChat ? [{ value: 'clients' as const, label: t('guide.snippet.clients') }] : []),
            ]}
            onChange={(value) => onShow({ tab: value, client })}
          />
          <span className={styles.space} />
          <Button variant="subtle" leftSection={<Icon name={isShown ? 'eye-off' : 'eye'} />} onClick={() => setShown(!isShown)}>
            {t(isShown ? 'guide.snippet.hide' : 'guide.snippet.show')}
          </Button>
        </div>
        {shown === 'clients' && (
          <div className={styles.snippetHead}>
            <select
              className={firstCallStyles.client}
              aria-label={t('guide.snippet.client')}
              value={client}
              onChange={(event) => onShow({ tab, client: clientKinds.find((one) => one === event.currentTarget.value) ?? client })}
            >
              {clientKinds.map((one) => (
                <option key={one} value={one}>
                  {names[one]}
                </option>
              ))}
            </select>
          </div>
        )}
        {snippetUses(kind).map(({ use, place = '' }, at) => (
          <div key={`${kind}-${at}`} className={styles.block}>
            <div className={`${typography.note} ${layout.spread} ${styles.use}`}>
              <span>{t(`guide.snippet.use.${use}`, { place })}</span>
              <span className={styles.copy}>
                <CopyButton
                  variant={isPrimary && at === 0 ? 'filled' : 'default'}
                  label={t(`guide.snippet.${use === 'file' ? 'copy_file' : 'copy'}`)}
                  text={snippetText(kind, { ...values, key }, at)}
                />
              </span>
            </div>
            {/* It scrolls by itself, so the keyboard must be able to. */}
            {/* oxlint-disable-next-line jsx_a11y/no-noninteractive-tabindex */}
            <pre className={styles.code} tabIndex={0} role="region" aria-label={at === 0 ? names[kind] : `${names[kind]}, ${place}`}>
              {snippetParts(kind, { ...values, key: isShown ? key : masked }, at).map(({ text, isOwn }, index) => (
                // Pieces have no name but their place.
                <span key={index} className={isOwn ? styles.own : undefined}>
                  {text}
                </span>
              ))}
            </pre>
          </div>
        ))}
      </div>
      <p className={`${typography.note} ${firstCallStyles.note}`}>{t(isShown ? 'guide.snippet.note_shown' : 'guide.snippet.note')}</p>
      {about !== undefined && <p className={`${typography.note} ${firstCallStyles.note}`}>{t(`guide.snippet.about.${about}`)}</p>}
      {kind === 'cursor' && <p className={`${typography.note} ${firstCallStyles.note}`}>{t('guide.snippet.cursor')}</p>}
    </div>
  );
}
