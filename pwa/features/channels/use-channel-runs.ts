import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type ChannelRun, type ChannelRunKind, channelRunApi } from '#shared/channel-runs.ts';
import { call } from '#pwa/api/call.ts';
import { channelRunsQuery } from './queries.ts';

/** Tests and balance requests of all channels, started by any user in any process. */
export function useChannelRuns() {
  const queryClient = useQueryClient();
  const { data } = useQuery(channelRunsQuery);
  const refresh = () => queryClient.invalidateQueries(channelRunsQuery);
  const start = useMutation({
    mutationFn: (kind: ChannelRunKind) => call(kind === 'tests' ? channelRunApi.testAll : channelRunApi.updateBalances),
    onSettled: refresh,
  });
  const stop = useMutation({
    mutationFn: (kind: ChannelRunKind) => call(channelRunApi.stop, { body: { kind } }),
    onSuccess: (runs) => queryClient.setQueryData(channelRunsQuery.queryKey, runs),
  });
  const active = activeRun(data);
  const progress = active === undefined ? '' : `${active.kind} ${active.run.done}`;
  const [followed, setFollowed] = useState<ChannelRunKind>();
  if (active !== undefined && active.kind !== followed) setFollowed(active.kind);
  const before = useRef(progress);
  // What came of a channel stands in its row.
  useEffect(() => {
    if (before.current === progress) return;
    before.current = progress;
    void queryClient.invalidateQueries({ queryKey: ['channels'] });
    void queryClient.invalidateQueries({ queryKey: ['channel'] });
  }, [progress, queryClient]);
  return {
    runs: data,
    active,
    /** Run that this screen followed, once it has ended; until it is dismissed. */
    ended: active === undefined && followed !== undefined ? endedRun(data, followed) : undefined,
    putAway: () => setFollowed(undefined),
    // Failures have been toasted.
    start: (kind: ChannelRunKind) => start.mutateAsync(kind).catch(() => {}),
    stop: (kind: ChannelRunKind) => stop.mutateAsync(kind).catch(() => {}),
    isStopping: stop.isPending,
  };
}
export type ChannelRunsView = ReturnType<typeof useChannelRuns>;

export interface ActiveRun {
  kind: ChannelRunKind;
  run: ChannelRun;
}

/** The run that is shown: tests before balances. */
export function activeRun(runs: { tests: ChannelRun | null; balances: ChannelRun | null } | undefined): ActiveRun | undefined {
  for (const kind of ['tests', 'balances'] as const) {
    const run = runs?.[kind];
    if (run?.state === 'running') return { kind, run };
  }
  return undefined;
}

function endedRun(runs: Parameters<typeof activeRun>[0], kind: ChannelRunKind): ActiveRun | undefined {
  const run = runs?.[kind];
  return run === null || run === undefined || run.state === 'running' ? undefined : { kind, run };
}

/** Seconds until a run ends at its present speed; undefined if it is too early for an estimate. */
export function secondsLeft(
  { total, done, started_at }: Pick<ChannelRun, 'total' | 'done' | 'started_at'>,
  now: number,
): number | undefined {
  if (done < 2 || now <= started_at) return undefined;
  return Math.max(1, Math.round(((now - started_at) / done) * Math.max(0, total - done)));
}
