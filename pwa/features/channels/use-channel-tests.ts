import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Channel, channelApi } from '#shared/channels.ts';
import { callWithExtra } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';

export type TestResult = { state: 'running' } | { state: 'ok'; seconds: number } | { state: 'failed'; message: string };

// Longer than the server gives a provider, so that its answer and not our impatience is what one sees.
const patience = 65_000;

/** Tests of channels and what came of them, as long as the list is open. */
export function useChannelTests() {
  const queryClient = useQueryClient();
  const [results, setResults] = useState<ReadonlyMap<string, TestResult>>(new Map());
  const note = (key: string, result: TestResult): void => setResults((old) => new Map(old).set(key, result));

  async function test({ id }: Pick<Channel, 'id'>, model?: string): Promise<TestResult> {
    const key = keyOf(id, model);
    note(key, { state: 'running' });
    let result: TestResult;
    try {
      const { extra } = await callWithExtra(channelApi.test, { params: { id: String(id) }, query: { model }, timeout: patience });
      result = { state: 'ok', seconds: extra.time };
    } catch (error) {
      result = { state: 'failed', message: failureOf(error).message };
    }
    note(key, result);
    // The row shows how the channel itself did, whatever model was asked for.
    if (model !== undefined) note(keyOf(id), result);
    await queryClient.invalidateQueries({ queryKey: ['channels'] });
    return result;
  }
  return { test, resultOf: (id: number, model?: string) => results.get(keyOf(id, model)) };
}
export type ChannelTests = ReturnType<typeof useChannelTests>;

function keyOf(id: number, model?: string): string {
  return model === undefined ? String(id) : `${id} ${model}`;
}
