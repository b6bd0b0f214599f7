import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { FailingChannel } from '#shared/channels.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { failingChannelsQuery } from './disabled-channels.ts';

/** How that channel fails; undefined: it does not, as far as is known. */
export function useFailing(id: number): FailingChannel | undefined {
  return useQuery({ ...failingChannelsQuery, select: (all) => all.find((one) => one.id === id) }).data;
}

/**
 * How a channel fails, in the same words wherever it stands: `401 · since 13:48 · 31 of 40 calls · 2 models have no other channel`.
 * `hasFiguresColumn`: a column next to it shows the share of successful calls.
 */
export function useFailingText({ hasFiguresColumn = false } = {}): (channel: FailingChannel) => string {
  const { t } = useTranslation();
  const format = useFormat();
  const causeOf = (status: number): string => {
    if (status === 0) return t('common.failing.no_answer');
    return status < 300 ? t('common.failing.unreadable') : String(status);
  };
  return ({ by, status, problem, since, calls, failures, sole_models: sole }) => {
    const isToday = format.dayKey(since) === format.dayKey(Date.now() / 1000);
    const time = since === 0 ? '' : isToday ? format.clock(since) : format.dateTime(since);
    const cause = by === 'calls' ? causeOf(status) : problem;
    return [
      cause,
      time === '' ? '' : t(by === 'test' ? 'common.failing.tested' : 'common.failing.since', { time }),
      by !== 'calls' || hasFiguresColumn
        ? ''
        : t('common.failing.calls', { failures: format.count(failures), calls: format.count(calls), count: calls }),
      sole === 0 ? '' : t('common.failing.sole', { count: sole }),
    ]
      .filter((part) => part !== '')
      .join(' · ');
  };
}

/** Describes the state, in addition to the stored one. */
export function useFailingState(): (channel: FailingChannel) => string {
  const { t } = useTranslation();
  return ({ by }) => {
    if (by === 'calls') return t('common.failing.state');
    return t(by === 'test' ? 'common.failing.test_state' : 'common.failing.settings_state');
  };
}
