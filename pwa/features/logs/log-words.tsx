import { useTranslation } from 'react-i18next';
import type { Log } from '#shared/logs.ts';
import { type Status, StatusMark } from '#pwa/ui/status-mark.tsx';
import { type Ending, endingOf, failureStatus, otherOf } from './log-facts.ts';

const marks: Record<Ending, Status> = {
  well: 'on',
  failed: 'failed',
  truncated: 'look',
  stalled: 'look',
  upstream_error: 'look',
  invalid_answer: 'failed',
  invalid_usage: 'look',
  client_closed: 'note',
  client_left: 'note',
  overdraft: 'empty',
  other: 'note',
};

/** How a call ended: a shape and a word; where there is no room, the word is only read aloud. */
export function EndingMark({ log, wordHidden = false }: { log: Log; wordHidden?: boolean }) {
  const { t } = useTranslation();
  const ending = endingOf(log);
  const status = ending === 'failed' ? failureStatus(log) : undefined;
  return (
    <StatusMark status={marks[ending]} wordHidden={wordHidden}>
      {status === undefined ? t(`logs.ending.${ending}`, { name: otherOf(log)?.ending ?? '' }) : t('logs.ending.failed_status', { status })}
    </StatusMark>
  );
}

/** Name of the sentence about where the token counts come from; undefined when all are the upstream's. */
export function whySource(log: Log): string | undefined {
  const other = otherOf(log);
  const input = other?.prompt_source ?? 'upstream';
  const output = other?.completion_source ?? 'upstream';
  if (input === 'upstream' && output === 'upstream') return undefined;
  if (input === output) return `both_${output}`;
  if (input === 'upstream') return `output_${output}`;
  if (output === 'upstream') return `input_${input}`;
  return `input_${input}_output_${output}`;
}
