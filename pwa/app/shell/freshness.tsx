import { Button } from '@mantine/core';
import { notifyManager, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { failureOf } from '#pwa/api/failure.ts';
import { lastAnswer, probe, useConnection } from '#pwa/offline/online-status.tsx';
import { useOutbox } from '#pwa/offline/outbox-store.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Disclosure } from '#pwa/ui/controls/disclosure.tsx';
import { type Freshness as FreshnessState, FreshnessChip, useFreshnessLabels } from '#pwa/ui/frame/freshness-chip.tsx';
import control from '#pwa/ui/styles/control.module.css';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './freshness.module.css';

const tick = 10_000;

/** The chip with what this page knows of its connection: the door to the outbox, or to a word of explanation. */
export function Freshness() {
  const { t } = useTranslation();
  const format = useFormat();
  const queryClient = useQueryClient();
  const online = useConnection();
  const { hasFailed, seenAt } = useShown();
  const connection: FreshnessState['connection'] = online === 'online' && hasFailed ? 'failing' : online;
  const edits = useOutbox();
  const now = useNow();
  const conflicts = edits.filter((edit) => edit.state !== 'waiting').length;
  const age = seenAt === 0 ? undefined : Math.max(0, (now - seenAt) / 1000);

  function handleRefresh(): void {
    void probe();
    void queryClient.invalidateQueries();
  }

  const freshness = { connection, ageSeconds: age, waiting: edits.length, conflicts };
  const words = useFreshnessLabels(freshness);
  // The name is text, not an attribute: what shows is shorter, and in another order.
  const chip = (name: string) => (
    <>
      <FreshnessChip {...freshness} />
      <span className="visually-hidden">{name}</span>
    </>
  );
  const stateLine = (
    <span className="visually-hidden" role="status" aria-live="polite">
      {t('shell.freshness.state', { state: words.state })}
    </span>
  );
  if (edits.length > 0) {
    return (
      <>
        {stateLine}
        <Link className={`${control.bare} ${styles.door}`} to="/outbox">
          {chip(t('shell.freshness.name_outbox', { state: words.whole }))}
        </Link>
      </>
    );
  }
  return (
    <>
      {stateLine}
      <Disclosure
        button={(attributes) => (
          <button type="button" className={`${control.bare} ${styles.door}`} {...attributes}>
            {chip(t('shell.freshness.name_details', { state: words.whole }))}
          </button>
        )}
      >
        {(close) => (
          <div className={`${layout.stackSm} ${styles.explain}`}>
            <p>{t(`shell.freshness.explain_${connection}`)}</p>
            {seenAt !== 0 && (
              <p className={typography.note}>{t('shell.freshness.last_answer', { time: format.dateTime(Math.floor(seenAt / 1000)) })}</p>
            )}
            <Button
              disabled={connection === 'offline'}
              onClick={() => {
                close();
                handleRefresh();
              }}
            >
              {t(connection === 'online' ? 'shell.freshness.refresh' : 'common.action.retry')}
            </Button>
          </div>
        )}
      </Disclosure>
    </>
  );
}

/** The time, looked at often enough for minutes. */
function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), tick);
    return () => clearInterval(timer);
  }, []);
  return now;
}

interface Shown {
  /** Whether the server has failed at something that is on screen. */
  hasFailed: boolean;
  /** When what is on screen was true, in milliseconds: the newest answer that a part of it shows. */
  seenAt: number;
}

/**
 * Updated when no query is in flight, and never during a React render: a value that changes with every answer would restart a concurrent render each
 * time, and finally force a synchronous one.
 */
function useShown(): Shown {
  const queryClient = useQueryClient();
  const [shown, setShown] = useState(() => lookAt(queryClient));
  useEffect(() => {
    const look = (): void => {
      const now = lookAt(queryClient);
      setShown((before) => (before.hasFailed === now.hasFailed && before.seenAt === now.seenAt ? before : now));
    };
    const stop = queryClient.getQueryCache().subscribe(
      notifyManager.batchCalls(() => {
        if (queryClient.isFetching() === 0) look();
      }),
    );
    // One answer may be long in coming.
    const timer = setInterval(look, tick);
    return () => {
      stop();
      clearInterval(timer);
    };
  }, [queryClient]);
  return shown;
}

function lookAt(queryClient: QueryClient): Shown {
  const shown = queryClient.getQueryCache().findAll({ type: 'active' });
  const newest = Math.max(0, ...shown.filter((query) => query.queryKey[0] !== 'status').map((query) => query.state.dataUpdatedAt));
  return {
    hasFailed: shown.some(({ state }) => state.error !== null && failureOf(state.error).status >= 500),
    seenAt: newest === 0 ? lastAnswer() : newest,
  };
}
