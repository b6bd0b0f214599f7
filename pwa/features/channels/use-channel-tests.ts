import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState, useSyncExternalStore } from 'react';
import { z } from 'zod/mini';
import { type Channel, channelApi } from '#shared/channels.ts';
import { callWithExtra } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { useStableHandler } from '#pwa/ui/controls/stable-handler.ts';
import { createListeners } from '#pwa/ui/store.ts';
import type { TestResult } from './channel-summary.ts';
import { channelQuery, type ChannelRows } from './queries.ts';

const TestTime = z.object({ time: z.number() });

// Longer than the server gives a provider, so that its answer and not our impatience is what one sees.
const patience = 65_000;

/** Tests of channels and what came of them, as long as the list is open. */
export function useChannelTests() {
  const queryClient = useQueryClient();
  const [results] = useState(createResults);
  // Redraws the screen with its open panel or dialog; rows subscribe themselves.
  useSyncExternalStore(results.subscribe, results.revision);

  async function test({ id }: Pick<Channel, 'id'>, model?: string): Promise<TestResult> {
    const key = keyOf(id, model);
    results.note(key, { state: 'running' });
    let result: TestResult;
    // 0: nothing was sent, so the channel's record is unchanged.
    let seconds = 0;
    try {
      const { extra } = await callWithExtra(channelApi.test, { params: { id: String(id) }, query: { model }, timeout: patience });
      seconds = extra.time;
      result = { state: 'ok', seconds };
    } catch (error) {
      const { message, extra } = failureOf(error);
      seconds = TestTime.safeParse(extra).data?.time ?? 0;
      result = { state: 'failed', message };
    }
    results.note(key, result);
    // The row shows the channel's result, whichever model was tested.
    if (model !== undefined) results.note(keyOf(id), result);
    if (seconds > 0) remember(id, seconds, result.state === 'failed' ? result.message : '');
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: ['channels'] }),
      queryClient.invalidateQueries({ queryKey: channelQuery(id).queryKey }),
    ]);
    return result;
  }

  /** Writes the fields that the server has just stored into the cached list and panel, before the next request for them. */
  function remember(id: number, seconds: number, test_error: string): void {
    const outcome = { response_time: Math.round(seconds * 1000), test_time: Math.floor(Date.now() / 1000), test_error };
    const updated = (channel: Channel): Channel => (channel.id === id ? { ...channel, ...outcome } : channel);
    // Counts and tags stand under the same key; they hold no rows.
    queryClient.setQueriesData<Partial<ChannelRows>>({ queryKey: ['channels'] }, (old) =>
      old?.channels === undefined ? old : { ...old, channels: old.channels.map(updated) },
    );
    queryClient.setQueryData(channelQuery(id).queryKey, (old) => old && updated(old));
  }
  const stableTest = useStableHandler(test);
  // Stable between renders: rows that receive it are not redrawn for the result of another row.
  return useMemo(
    () => ({
      test: stableTest,
      resultOf: (id: number, model?: string) => results.get(keyOf(id, model)),
      subscribe: results.subscribe,
    }),
    [results, stableTest],
  );
}
export type ChannelTests = ReturnType<typeof useChannelTests>;

/** What came of the last test of a channel; follows it. */
export function useTestResult(tests: ChannelTests, id: number): TestResult | undefined {
  return useSyncExternalStore(tests.subscribe, () => tests.resultOf(id));
}

function createResults() {
  const results = new Map<string, TestResult>();
  const { subscribe, emit } = createListeners();
  let revision = 0;
  return {
    get: (key: string) => results.get(key),
    revision: () => revision,
    note(key: string, result: TestResult): void {
      results.set(key, result);
      revision += 1;
      emit();
    },
    subscribe,
  };
}

function keyOf(id: number, model?: string): string {
  return model === undefined ? String(id) : `${id} ${model}`;
}
