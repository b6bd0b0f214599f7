import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Channel } from '#shared/channels.ts';
import { commaList } from '#shared/comma-list.ts';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { Dialog } from '#pwa/ui/frame/dialog.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import { Advice } from './advice.tsx';
import styles from './test-dialog.module.css';
import type { TestResult } from './channel-summary.ts';
import type { ChannelTests } from './use-channel-tests.ts';

interface TestDialogProps {
  channel: Channel;
  tests: ChannelTests;
  onClose: () => void;
}

/** Tests single models of a channel and shows the result of each. */
export function TestDialog({ channel, tests, onClose }: TestDialogProps) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const [search, setSearch] = useState('');
  const all = commaList(channel.models);
  const models = all.filter((model) => model.toLowerCase().includes(search.trim().toLowerCase()));
  return (
    <Dialog title={t('channels.test.title', { name: channel.name })} onClose={onClose}>
      {all.length > 8 && (
        <TextInput
          type="search"
          aria-label={t('channels.test.search')}
          placeholder={t('channels.test.search')}
          leftSection={<Icon name="search" />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      <ul className={styles.models}>
        {models.map((model) => (
          <li key={model} className={styles.model}>
            <span className={styles.name}>{model}</span>
            <Result result={tests.resultOf(channel.id, model)} />
            <Button
              aria-label={t('channels.action.test_named', { name: model })}
              disabled={!isOnline}
              loading={tests.resultOf(channel.id, model)?.state === 'running'}
              onClick={() => void tests.test(channel, model)}
            >
              {t('channels.action.test')}
            </Button>
          </li>
        ))}
      </ul>
      {models.length === 0 && <p className={styles.none}>{t('common.list.no_match')}</p>}
      <div className={styles.foot}>
        <Button onClick={onClose}>{t('common.action.close')}</Button>
      </div>
    </Dialog>
  );
}

function Result({ result }: { result: TestResult | undefined }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (result === undefined || result.state === 'running') return <span className={styles.result} />;
  return (
    <span className={styles.result} role="status">
      {result.state === 'ok' ? (
        <StatusMark status="on">{format.duration(result.seconds * 1000)}</StatusMark>
      ) : (
        <>
          <StatusMark status="failed">{t('channels.test.failed')}</StatusMark>
          <span className={`${typography.small} ${styles.message}`}>
            {result.message} <Advice message={result.message} className={undefined} />
          </span>
        </>
      )}
    </span>
  );
}
