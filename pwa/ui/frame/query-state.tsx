import { Button } from '@mantine/core';
import { createContext, type ReactNode, use, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '#pwa/ui/controls/copy-text.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import styles from './query-state.module.css';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';

/** The part of a query's result that lists and blocks look at. */
export interface QueryLike<Data> {
  data: Data | undefined;
  error: Error | null;
  fetchStatus: 'fetching' | 'paused' | 'idle';
  dataUpdatedAt: number;
  refetch: () => unknown;
}

interface QueryStateProps<Data> {
  query: QueryLike<Data>;
  /** What it is, for the sentence that says it could not be loaded. */
  what: string;
  /** Lines of the skeleton: about the height of what will stand there. */
  lines?: number;
  /** Its shape, where lines would be none. */
  shape?: ReactNode;
  children: (data: Data) => ReactNode;
}

/** Why a part has nothing to show. */
export interface PartFailure {
  error: Error;
  /** It is being loaded again. */
  isRetrying: boolean;
  retry: () => void;
}

/** Parts that are to appear together. */
export interface Held {
  /** True while they are not all there: each shows its shape. */
  isHeld: boolean;
  /** Parts whose common failure is shown above all of them. */
  shownAbove: ReadonlySet<string>;
  onWaiting: (part: string, isWaiting: boolean) => void;
  /** Undefined: the part has data, or was never refused any. */
  onFailure: (part: string, failure: PartFailure | undefined) => void;
  onGone: (part: string) => void;
}

const apart: Held = { isHeld: false, shownAbove: new Set(), onWaiting: () => {}, onFailure: () => {}, onGone: () => {} };
export const HeldBack = createContext<Held>(apart);

/** For a part whose answer changes where others stand: they appear together with it. */
export function useAwaited({ data, error, fetchStatus }: Pick<QueryLike<unknown>, 'data' | 'error' | 'fetchStatus'>): void {
  const { onWaiting } = use(HeldBack);
  const part = useId();
  const isWaiting = data === undefined && error === null && fetchStatus === 'fetching';
  useEffect(() => {
    onWaiting(part, isWaiting);
    return () => onWaiting(part, false);
  }, [onWaiting, part, isWaiting]);
}

/** Draws what a query has; else the still shape of it, why there is none, or that it was never opened here. */
export function QueryState<Data>({ query, what, lines = 3, shape, children }: QueryStateProps<Data>) {
  const { isHeld } = use(HeldBack);
  useAwaited(query);
  const isShownAbove = useFailureAbove(query);
  if (isShownAbove) return <i hidden data-said-above />;
  if (query.data !== undefined && !isHeld) return children(query.data);
  if (query.error !== null && !isHeld) return <LoadFailure what={what} error={query.error} onRetry={() => void query.refetch()} />;
  if (query.fetchStatus === 'paused') return <NotOnDevice />;
  return shape === undefined ? <SkeletonLines lines={lines} /> : <Still>{shape}</Still>;
}

/** Reports a part's failure to those around it; true: they show it for many at once. A retry counts as the failure that it follows. */
function useFailureAbove({ data, error, fetchStatus, refetch }: QueryLike<unknown>): boolean {
  const { shownAbove, onFailure, onGone } = use(HeldBack);
  const part = useId();
  const last = useRef<Error>(undefined);
  const hasData = data !== undefined;
  const isFetching = fetchStatus === 'fetching';
  useEffect(() => {
    last.current = hasData ? undefined : (error ?? last.current);
    const failure = last.current && { error: last.current, isRetrying: isFetching, retry: () => void refetch() };
    onFailure(part, failure);
  }, [onFailure, part, hasData, error, isFetching, refetch]);
  useEffect(() => () => onGone(part), [onGone, part]);
  return !hasData && shownAbove.has(part);
}

interface LoadFailureProps {
  what: string;
  error: Error;
  shown?: string;
  isRetrying?: boolean;
  onRetry: () => void;
}

export function LoadFailure({ what, error, shown, isRetrying = false, onRetry }: LoadFailureProps) {
  const { t } = useTranslation();
  const details = 'details' in error && typeof error.details === 'string' ? error.details : '';
  const requestId = 'requestId' in error && typeof error.requestId === 'string' ? error.requestId : undefined;
  return (
    <div className={styles.void} role="alert" data-void>
      <StatusMark status="failed" strong>
        {t('common.load.failed', { what })}
      </StatusMark>
      <p>{error.message}</p>
      {shown !== undefined && <p>{shown}</p>}
      {requestId !== undefined && <p className={styles.request}>{t('common.load.request_id', { id: requestId })}</p>}
      <span className={`${layout.wrap} ${styles.actions}`}>
        <Button loading={isRetrying} onClick={onRetry}>
          {t('common.action.retry')}
        </Button>
        <CopyButton
          variant="subtle"
          label={t('common.action.details')}
          text={[error.message, details].filter((part) => part !== '').join('\n')}
        />
      </span>
    </div>
  );
}

export function NotOnDevice() {
  const { t } = useTranslation();
  return (
    <div className={styles.void} data-void>
      <StatusMark status="offline" strong>
        {t('common.load.not_here')}
      </StatusMark>
      <p>{t('common.load.not_here_text')}</p>
    </div>
  );
}

/** Still lines, as texts will be. */
export function SkeletonLines({ lines }: { lines: number }) {
  return (
    <Still isText>
      <div className={`${layout.stackMd} ${styles.skeleton}`}>
        {Array.from({ length: lines }, (_, index) => (
          <i key={index} style={{ width: `${88 - ((index * 23) % 45)}%` }} />
        ))}
      </div>
    </Still>
  );
}

/** A shape of what is on its way, shown only when loading takes longer than 200 ms. */
export function Still({ isText = false, children }: { isText?: boolean; children: ReactNode }) {
  const isShown = useAfter(200);
  return (
    <div className={styles.still} aria-busy="true" data-shown={isShown || undefined} data-void={isText || undefined}>
      {children}
    </div>
  );
}

/** False at first, true once so many milliseconds have passed. */
export function useAfter(milliseconds: number): boolean {
  const [hasPassed, setPassed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setPassed(true), milliseconds);
    return () => clearTimeout(timer);
  }, [milliseconds]);
  return hasPassed;
}
