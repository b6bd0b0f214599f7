import { Button } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { Advice } from './advice.tsx';
import styles from './draft-test-line.module.css';
import type { DraftTest } from './use-draft-test.ts';

interface DraftTestLineProps {
  test: DraftTest;
  /** Begins a test by hand. */
  onTest: () => void;
  /** Saves without a good test; undefined: saving does not wait for one. */
  onSkip: (() => void) | undefined;
}

/** Whether what the form holds works, before it is saved. */
export function DraftTestLine({ test, onTest, onSkip }: DraftTestLineProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const isOnline = useIsOnline();
  const { result, model } = test;
  const line = useRef<HTMLDivElement>(null);
  const state = result?.state;
  useEffect(() => {
    if (state === 'failed' || state === 'running') line.current?.scrollIntoView({ block: 'nearest' });
  }, [state]);
  const label = t('channel.draft.test');
  return (
    <div ref={line} className={styles.line} data-state={state}>
      <OnlineButton disabled={model === ''} loading={state === 'running'} icon={<Icon name="pulse" />} onClick={onTest} label={label} />
      <span className={styles.result} role="status">
        {state === 'running' && t('channel.draft.running', { model })}
        {result?.state === 'ok' && (
          <StatusMark status="on">{t('channels.test.ok', { name: model, time: format.duration(result.seconds * 1000) })}</StatusMark>
        )}
        {result?.state === 'failed' && (
          <>
            <StatusMark status="failed">{t('channel.draft.failed', { model })}</StatusMark>
            <span className={styles.message}>{result.message}</span>
            <Advice message={result.message} className={styles.advice} />
          </>
        )}
      </span>
      {onSkip !== undefined && (state === 'running' || state === 'failed') && (
        <Button variant="subtle" disabled={!isOnline} onClick={onSkip}>
          {t(state === 'running' ? 'channel.draft.skip' : 'channel.draft.anyway')}
        </Button>
      )}
    </div>
  );
}
