// Follows new calls while the top of the log is in view. At other positions only their number is shown: no row may move while the user
// reads further down, has a row or a menu open, or presses on the list.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Page } from '#shared/paging.ts';
import type { Log } from '#shared/logs.ts';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { useHasUnsavedEdits } from '#pwa/ui/form/unsaved-store.ts';
import { useStableHandler } from '#pwa/ui/controls/stable-handler.ts';
import { followed } from './followed.ts';
import { type LogList, logsQuery, readNewest, tailEvents } from './queries.ts';
import { pause, pollMs, watchLog } from './watch-log.ts';

interface FollowInput {
  list: LogList;
  size: number;
  /** Whether this is the first page of a list that grows. */
  isFirst: boolean;
  isOpen: boolean;
}

/** Minimum interval between requests of the sums. */
const sumsMs = 10_000;
/** So little is still the top. */
const topPixels = 24;
/** After a press, for what it opens. */
const releaseMs = 300;

/** How many new rows are not shown yet, and the way to show them. */
export function useFollow({ list, size, isFirst, isOpen }: FollowInput): { newer: number; show: () => void } {
  const client = useQueryClient();
  const isOnline = useIsOnline();
  const hasEdits = useHasUnsavedEdits();
  const [newer, setNewer] = useState(0);
  const { queryKey } = logsQuery(list, { page: 1, size });
  const key = JSON.stringify(queryKey);
  const state = useRef({ list, isHeld: false, isPressed: false, sumsAt: 0, look: async () => {} });
  state.current = { ...state.current, list, isHeld: isOpen || hasEdits };

  useEffect(() => setNewer(0), [key, isFirst]);
  useEffect(() => {
    if (!isFirst || !isOnline) return undefined;
    const stop = new AbortController();
    const follow = async (): Promise<void> => {
      const newest = await readNewest(state.current.list, size, stop.signal);
      const current = client.getQueryData<Page<Log>>(queryKey);
      if (stop.signal.aborted || current === undefined) return;
      const { page, count } = followed(current, newest);
      if (state.current.isHeld || state.current.isPressed || hasMenu() || !isOnTop()) {
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
    };
    const look = inTurn(async () => {
      if (document.visibilityState !== 'visible' || client.getQueryData(queryKey) === undefined) return;
      // The list itself says when the server is away; the next look may be answered.
      await follow().catch(() => {});
    });
    state.current.look = look;
    const events = (after: string | undefined, signal: AbortSignal) => tailEvents(state.current.list, { after, signal });
    // Who only passes by opens no stream.
    void pause(pollMs, stop.signal).then(() => (stop.signal.aborted ? undefined : watchLog({ events, look, signal: stop.signal })));
    return () => stop.abort();
    // The key stands for list and size.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [client, key, isFirst, isOnline]);

  // What waits is shown when nothing holds it any more.
  const isWaiting = newer > 0;
  useEffect(() => {
    if (isWaiting && !isOpen && !hasEdits) void state.current.look();
  }, [isWaiting, isOpen, hasEdits]);
  usePress(isFirst, (isPressed) => {
    state.current.isPressed = isPressed;
    if (!isPressed && isWaiting) void state.current.look();
  });

  function show(): void {
    setNewer(0);
    scrollToTop();
    void client.invalidateQueries({ queryKey });
  }
  return { newer: isFirst ? newer : 0, show };
}

/** Reports the beginning and the end of a press or a scroll. */
function usePress(isOn: boolean, onPress: (isPressed: boolean) => void): void {
  const report = useStableHandler(onPress);
  useEffect(() => {
    if (!isOn) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const handlePress = (): void => {
      clearTimeout(timer);
      report(true);
    };
    const handleRelease = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => report(false), releaseMs);
    };
    const releases = ['pointerup', 'pointercancel', 'scrollend'] as const;
    document.addEventListener('pointerdown', handlePress, true);
    for (const name of releases) document.addEventListener(name, handleRelease, true);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('pointerdown', handlePress, true);
      for (const name of releases) document.removeEventListener(name, handleRelease, true);
    };
  }, [isOn, report]);
}

/** Runs work one after the other; a call while another one waits joins it. */
function inTurn(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let waiting: Promise<void> | undefined;
  const start = (): Promise<void> => {
    const begun = work().finally(() => {
      if (running === begun) running = undefined;
    });
    running = begun;
    return begun;
  };
  return () => {
    if (running === undefined) return start();
    waiting ??= running.then(() => {
      waiting = undefined;
      return start();
    });
    return waiting;
  };
}

function hasMenu(): boolean {
  return document.querySelector('[role=menu]') !== null;
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
