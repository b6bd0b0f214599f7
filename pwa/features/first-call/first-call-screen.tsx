import { Button } from '@mantine/core';
import { Link, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { LoadFailure, NotOnDevice, SkeletonLines } from '#pwa/ui/frame/query-state.tsx';
import { SummaryItem } from '#pwa/ui/frame/page-header.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { CallStep } from './call-step.tsx';
import { ChannelStep } from './channel-step.tsx';
import styles from './first-call.module.css';
import { NextSteps } from './next-steps.tsx';
import { TokenStep } from './token-step.tsx';
import { TroubleTable } from './trouble-table.tsx';
import { useGuide } from './use-guide.ts';

/**
 * The form that a step ended with is gone, and with it what had the focus: the heading of the next step takes it. Also on the
 * way back from another screen; a page that has just been loaded is left alone.
 */
function useStepFocus(steps: readonly boolean[] | undefined): void {
  const isReturn = useRouterState({ select: ({ location }) => location.state.__TSR_index > 0 });
  const before = useRef<number>(undefined);
  const next = steps?.indexOf(false);
  useEffect(() => {
    if (next === undefined) return;
    const isMoved = before.current === undefined ? isReturn : before.current !== next;
    before.current = next;
    if (isMoved && next !== -1 && isFocusFree()) document.getElementById(`step-${next + 1}`)?.focus();
  }, [next, isReturn]);
}

/** Nothing has it, or the screen as a whole, which is given it where nothing nearer is left. */
function isFocusFree(): boolean {
  const { activeElement, body } = document;
  return activeElement === null || activeElement === body || activeElement.id === 'main';
}

/**
 * From nothing to the first call in the log: channel, token, call. With a token that is chosen: a program is set up with it, and what
 * counts are calls with it from now on.
 */
export function FirstCallScreen({ tokenId }: { tokenId: number | undefined }) {
  const { t } = useTranslation();
  const { guide, state, failed, isAway, retry } = useGuide(tokenId);
  const steps =
    guide === undefined ? [] : [...(guide.isAdmin ? [guide.channel !== undefined] : []), guide.token !== undefined, guide.hasCalled];
  const done = steps.filter(Boolean).length;
  useStepFocus(guide === undefined ? undefined : steps);
  const number = guide?.isAdmin === true ? 1 : 0;
  return (
    <Screen
      title={t('guide.title')}
      layout="page"
      facts={steps.length > 0 && <SummaryItem label={t('guide.progress')}>{t('guide.steps_done', { done, of: steps.length })}</SummaryItem>}
      actions={
        <Button renderRoot={(attributes) => <Link {...attributes} to="/" />} variant="subtle">
          {t(guide?.hasCalled === true ? 'guide.close' : 'guide.skip')}
        </Button>
      }
    >
      <div className={styles.guide}>
        {guide === undefined ? (
          failed?.error != null ? (
            <LoadFailure what={t('guide.title')} error={failed.error} onRetry={retry} />
          ) : isAway ? (
            <NotOnDevice />
          ) : (
            <SkeletonLines lines={8} />
          )
        ) : (
          <>
            {guide.isAdmin && <ChannelStep number={1} guide={guide} />}
            <TokenStep number={number + 1} guide={guide} />
            <CallStep number={number + 2} guide={guide} state={state} />
            {guide.hasCalled ? <NextSteps guide={guide} /> : <TroubleTable guide={guide} />}
          </>
        )}
      </div>
    </Screen>
  );
}
