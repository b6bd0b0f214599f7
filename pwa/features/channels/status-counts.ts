// How many channels each status filter would show.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ChannelTag } from '#shared/channel-tags.ts';
import type { Channel, ChannelSummary } from '#shared/channels.ts';
import { channelSummaryQuery, failingChannelsQuery } from '#pwa/api/disabled-channels.ts';
import { statusName, type StatusName } from './channel-summary.ts';
import { searchLimit } from './queries.ts';

/** `failing`: enabled ones whose calls or last test fail, which count as enabled too. */
export type StatusFilter = StatusName | 'failing';

export type StatusCounts = Record<StatusName | 'all', number>;

interface Counted {
  /** Something else than the status narrows the list. */
  isNarrowed: boolean;
  /** Of a search: what was found. */
  found: readonly Channel[] | undefined;
  /** Of the channels under their tags: the totals of each. */
  tags: readonly ChannelTag[] | undefined;
}

/** Undefined while it is unknown, and for a search that found more than it counts. */
export function useStatusCounts({ isNarrowed, found, tags }: Counted): StatusCounts | undefined {
  const { data: summary } = useQuery(channelSummaryQuery);
  if (!isNarrowed) return summary === undefined ? undefined : countsOf([summary]);
  if (tags !== undefined) return countsOf(tags);
  return found === undefined || found.length >= searchLimit ? undefined : countFound(found);
}

/** Ids of the channels that fail, as far as is known. */
export function useFailingIds(): ReadonlySet<number> {
  const { data } = useQuery(failingChannelsQuery);
  return useMemo(() => new Set(data?.map(({ id }) => id)), [data]);
}

function countsOf(parts: readonly ChannelSummary[]): StatusCounts {
  const counts: StatusCounts = { all: 0, on: 0, off: 0, auto: 0 };
  for (const { enabled, disabled_by_hand, disabled_by_system } of parts) {
    counts.all += enabled + disabled_by_hand + disabled_by_system;
    counts.on += enabled;
    counts.off += disabled_by_hand;
    counts.auto += disabled_by_system;
  }
  return counts;
}

function countFound(found: readonly Channel[]): StatusCounts {
  const counts: StatusCounts = { all: found.length, on: 0, off: 0, auto: 0 };
  for (const { status } of found) counts[statusName(status)] += 1;
  return counts;
}
