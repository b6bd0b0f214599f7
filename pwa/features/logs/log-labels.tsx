import { useTranslation } from 'react-i18next';
import { endingOf, failureStatus } from '#shared/log-ending.ts';
import { otherOf } from '#shared/log-other.ts';
import type { Log, UsageSource } from '#shared/logs.ts';
import type { RefusalFacts } from '#shared/refusal-facts.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { endingStatus } from '#pwa/ui/billing/ending-status.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';

/** How a call ended: a shape and a word. */
export function EndingMark({ log }: { log: Log }) {
  const { t } = useTranslation();
  const ending = endingOf(log);
  const word = t(`logs.ending.${ending}`, { name: otherOf(log)?.ending ?? '' });
  const status = failureStatus(log);
  return <StatusMark status={endingStatus[ending]}>{status === undefined ? word : t('logs.ending_status', { word, status })}</StatusMark>;
}

/** Calls that were refused, and how many there were. */
export function RefusalMark({ facts }: { facts: RefusalFacts }) {
  const { t } = useTranslation();
  const format = useFormat();
  const word = t('logs.result.refused');
  return (
    <StatusMark status="failed">{facts.count > 1 ? t('logs.refusal.times', { word, count: format.count(facts.count) }) : word}</StatusMark>
  );
}

interface WhySource {
  /** Of the sentence. */
  name: string;
  /** The less certain one where there are two. */
  source: UsageSource;
}

/** Where the token counts come from; undefined when all are the upstream's. */
export function whySource(log: Log): WhySource | undefined {
  const other = otherOf(log);
  const input = other?.prompt_source ?? 'upstream';
  // For a call without output the output is not counted.
  const output = log.completion_tokens === 0 && input !== 'upstream' ? 'upstream' : (other?.completion_source ?? 'upstream');
  // The charge is the one that the upstream reported.
  if (other?.units !== undefined && other.model_price !== -1) return undefined;
  if (input === 'upstream' && output === 'upstream') return undefined;
  if (other?.units?.kind === 'image' && output === 'estimated') {
    return { name: other.units.count === 0 ? 'pictures_unfinished' : 'pictures_seen', source: output };
  }
  return { name: nameOf(input, output), source: input === 'estimated' || output === 'estimated' ? 'estimated' : 'counted' };
}

function nameOf(input: UsageSource, output: UsageSource): string {
  if (input === output) return `both_${output}`;
  if (input === 'upstream') return `output_${output}`;
  if (output === 'upstream') return `input_${input}`;
  return `input_${input}_output_${output}`;
}
