import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ModelKind } from '#pwa/api/chat-models.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './playground.module.css';

const greetings = {
  chat: 'playground.greeting',
  picture: 'playground.greet.picture',
  speech: 'playground.greet.speech',
  transcript: 'playground.greet.transcript',
  video: 'playground.greet.video',
} as const;

const examples = ['table', 'code', 'text'] as const;

interface GreetingProps {
  kind: ModelKind;
  /** False: no question can be sent now. */
  canAsk: boolean;
  onExample: (text: string) => void;
}

/** What stands in a conversation without a question, with some to begin with. */
export function Greeting({ kind, canAsk, onExample }: GreetingProps) {
  const { t } = useTranslation();
  return (
    <div className={`${layout.stackSm} ${styles.greeting}`}>
      <p>{t(greetings[kind])}</p>
      {kind === 'chat' && canAsk && (
        <div className={`${layout.wrap} ${styles.examples}`}>
          {examples.map((name) => (
            <Button key={name} onClick={() => onExample(t(`playground.example.${name}`))}>
              {t(`playground.example.${name}`)}
            </Button>
          ))}
        </div>
      )}
      <p className={typography.note}>{t('playground.greeting_kept')}</p>
    </div>
  );
}
