import type { TFunction } from 'i18next';
import type { Ending } from '#shared/log-ending.ts';
import { otherOf } from '#shared/log-other.ts';
import type { Attempt, Log } from '#shared/logs.ts';
import type { AttemptBar } from '#pwa/ui/billing/attempts.tsx';
import { endingStatus } from '#pwa/ui/billing/ending-status.ts';
import type { EndedAttempt } from './log-summary.ts';

/** One attempt of a call as the bar that stands for it. */
export function attemptBar({ attempt, ending }: EndedAttempt, index: number, { log, t }: { log: Log; t: TFunction }): AttemptBar {
  const word =
    ending === 'well' || ending === 'failed'
      ? t(`common.receipt.attempt_${ending === 'well' ? 'ok' : 'failed'}`)
      : t(`logs.ending.${ending}`, { name: otherOf(log)?.ending ?? '' });
  return {
    key: index,
    name: attempt.channel > 0 ? `#${attempt.channel} ${attempt.channel_name ?? ''}`.trim() : t('receipt.attempts.nth', { n: index + 1 }),
    note: noteOf(attempt, { ending, word }, t),
    status: endingStatus[ending],
    word,
    start: attempt.start_ms,
    firstByte: attempt.first_byte_ms,
    end: attempt.end_ms,
  };
}

/** `429 rate limited`: statuses whose meaning everybody should not have to know by heart; else the upstream's own word. */
function noteOf(attempt: Attempt, { ending, word }: { ending: Ending; word: string }, t: TFunction): string {
  const { status, error } = attempt;
  if (ending === 'unsendable') return word;
  if (status === 0) return t('receipt.attempts.no_status');
  if (ending === 'well') return String(status);
  if (status < 300 && ending !== 'failed') return `${status} ${word}`;
  const reason = reasons.get(status) ?? (status >= 500 ? 'upstream' : undefined);
  return reason === undefined
    ? [status, error].filter((part) => part !== undefined).join(' ')
    : `${status} ${t(`receipt.attempts.reason_${reason}`)}`;
}

const reasons: ReadonlyMap<number, string> = new Map([
  [400, 'request'],
  [401, 'key'],
  [402, 'payment'],
  [403, 'refused'],
  [404, 'missing'],
  [408, 'timeout'],
  [413, 'large'],
  [429, 'limit'],
  [504, 'timeout'],
]);
