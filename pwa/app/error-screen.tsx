import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { failureOf } from '#pwa/api/failure.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { PlainButton } from '#pwa/ui/controls/plain-button.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { useCopy } from '#pwa/ui/controls/use-copy.ts';
import surface from '#pwa/ui/styles/surface.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import layout from '#pwa/ui/styles/layout.module.css';
import styles from './error-screen.module.css';
import { NoRightError } from './guards.ts';
import { NoRightScreen } from './not-found-screen.tsx';

/** Instead of a screen that failed; a missing right is not a failure and has its own words. */
export function ErrorScreen(props: ErrorComponentProps) {
  return props.error instanceof NoRightError ? <NoRightScreen /> : <FailedScreen {...props} />;
}

/** A screen that could not be drawn: what failed, try again, and what a maintainer needs to know. */
function FailedScreen({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation();
  const router = useRouter();
  // Drawn without the component library: it may be the very part that did not arrive.
  const { copy, isDone, manual } = useCopy();
  const failure = failureOf(error);
  const message = isPartMissing(error) ? t('frame.error.part_missing') : failure.message;
  const report = [message, failure.details, location.href, navigator.userAgent, error instanceof Error ? error.stack : '']
    .filter((part) => part !== '' && part !== undefined)
    .join('\n');

  function handleRetry(): void {
    reset();
    void router.invalidate();
  }

  return (
    <main className={`${layout.stackSm} ${layout.fill} ${styles.screen}`} id="main">
      <h1 className={`${typography.title} ${styles.title}`}>
        <StatusMark status="failed">{t('frame.error.title')}</StatusMark>
      </h1>
      <p>{message}</p>
      <div className={`${layout.wrap} ${styles.actions}`}>
        <PlainButton variant="filled" onClick={handleRetry}>
          {t('common.action.retry')}
        </PlainButton>
        <PlainButton onClick={() => location.reload()}>{t('frame.error.reload')}</PlainButton>
        <PlainButton icon={<Icon name={isDone ? 'check' : 'copy'} />} onClick={() => void copy(report)}>
          {isDone ? t('common.copy.done') : t('common.action.details')}
        </PlainButton>
      </div>
      {manual !== null && <pre className={`${surface.well} ${styles.report}`}>{manual}</pre>}
    </main>
  );
}

/**
 * The screen's own script or style did not arrive: no server, or one that was updated since this tab was opened. Browsers
 * name it each in their own words. With a service worker it does not happen; over plain http there is none.
 */
function isPartMissing(error: unknown): boolean {
  return error instanceof Error && /dynamically imported module|module script|unable to preload/i.test(error.message);
}
