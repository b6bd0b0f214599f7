// The log follows new calls by itself while somebody looks at its top. Otherwise it only says how many there are: nothing may
// move under somebody who reads further down or has a row open.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Page } from '#shared/envelope.ts';
import type { Log } from '#shared/logs.ts';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { useHasUnsavedEdits } from '#pwa/ui/form/unsaved-store.ts';
import { followed } from './followed.ts';
import { type LogList, logsQuery, readNewest } from './queries.ts';

interface FollowInput {
  list: LogList;
  size: number;
  /** The first page of a list that goes on growing. */
  isFirst: boolean;
  isOpen: boolean;
}

export const followMs = 2_500;
/** Sums are asked for anew at most this often. */
const sumsMs = 10_000;
/** So little is still the top. */
const topPixels = 24;

/** How many new rows are not shown yet, and the way to show them. */
export function useFollow({ list, size, isFirst, isOpen }: FollowInput): { newer: number; show: () => void } {
  const client = useQueryClient();
  const isOnline = useIsOnline();
  const hasEdits = useHasUnsavedEdits();
  const [newer, setNewer] = useState(0);
  const { queryKey } = logsQuery(list, { page: 1, size });
  const key = JSON.stringify(queryKey);
  const state = useRef({ list, isOpen, hasEdits, sumsAt: 0 });
  state.current = { ...state.current, list, isOpen, hasEdits };

  useEffect(() => setNewer(0), [key, isFirst]);
  useEffect(() => {
    if (!isFirst || !isOnline) return undefined;
    const stop = new AbortController();
    let isAsking = false;
    async function follow(): Promise<void> {
      const known = client.getQueryData<Page<Log>>(queryKey);
      if (isAsking || known === undefined || document.visibilityState !== 'visible') return;
      isAsking = true;
      try {
        const newest = await readNewest(state.current.list, size, stop.signal);
        const current = client.getQueryData<Page<Log>>(queryKey);
        if (stop.signal.aborted || current === undefined) return;
        const { page, count } = followed(current, newest);
        const { isOpen: hasPanel, hasEdits: isEditing } = state.current;
        if (hasPanel || isEditing || !isOnTop()) {
          setNewer(count);
          return;
        }
        setNewer(0);
        client.setQueryData(queryKey, page);
        if (count > 0 && Date.now() - state.current.sumsAt > sumsMs) {
          state.current.sumsAt = Date.now();
          void client.invalidateQueries({ queryKey: ['log-sums'] });
          void client.invalidateQueries({ queryKey: ['log-day'] });
        }
      } catch {
        // The list itself says when the server is away; the next try may be answered.
      } finally {
        isAsking = false;
      }
    }
    const timer = setInterval(() => void follow(), followMs);
    return () => {
      clearInterval(timer);
      stop.abort();
    };
    // The key stands for list and size.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [client, key, isFirst, isOnline]);

  function show(): void {
    setNewer(0);
    scrollToTop();
    void client.invalidateQueries({ queryKey });
  }
  return { newer: isFirst ? newer : 0, show };
}

/** Whatever it is that scrolls: the table at a desk, the page on a phone. */
function scrollers(): Element[] {
  const found: Element[] = [];
  for (let element = document.querySelector('[data-row-key]')?.parentElement ?? null; element !== null; element = element.parentElement) {
    if (element.scrollTop > 0) found.push(element);
  }
  return found;
}

function isOnTop(): boolean {
  return scrollers().every((element) => element.scrollTop <= topPixels);
}

function scrollToTop(): void {
  for (const element of scrollers()) element.scrollTo({ top: 0 });
}
