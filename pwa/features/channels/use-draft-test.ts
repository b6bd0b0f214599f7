import { useMutation } from '@tanstack/react-query';
import { type ChannelDraft, channelApi } from '#shared/channels.ts';
import { callWithExtra } from '#pwa/api/call.ts';
import { canChat } from '#pwa/api/chat-models.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { type ChannelValues, draftBody } from './channel-values.ts';

// Longer than the server gives a provider, so that its answer and not our impatience is what one sees.
const patience = 65_000;

export type DraftResult =
  | { state: 'running' }
  | { state: 'ok'; seconds: number }
  | { state: 'failed'; message: string; field: string | undefined };

interface DraftOptions {
  /** The channel that is edited; undefined: a new one. */
  channelId: number | undefined;
  /** Models that the form proposed by itself. */
  proposed: readonly string[];
}

/** Tests what a form holds. A result counts as long as nothing is changed that the test depends on. */
export function useDraftTest(values: ChannelValues, { channelId, proposed }: DraftOptions) {
  const model = testedModel(values, proposed);
  const body = { ...draftBody(values, channelId), test_model: model };
  const test = useMutation({
    mutationFn: async (draft: ChannelDraft) => (await callWithExtra(channelApi.testDraft, { body: draft, timeout: patience })).extra.time,
    meta: { quiet: true },
  });
  const isCurrent = test.variables !== undefined && JSON.stringify(test.variables) === JSON.stringify(body);

  function result(): DraftResult | undefined {
    if (!isCurrent) return undefined;
    if (test.isPending) return { state: 'running' };
    if (test.error !== null) {
      const { message, field } = failureOf(test.error);
      return { state: 'failed', message, field };
    }
    return test.data === undefined ? undefined : { state: 'ok', seconds: test.data };
  }
  return {
    result: result(),
    model,
    /** True when it went well; what went wrong is in the result. */
    run: () =>
      test.mutateAsync(body).then(
        () => true,
        () => false,
      ),
  };
}
export type DraftTest = ReturnType<typeof useDraftTest>;

/** Model of a test: the test model, or else one that the user chose, or else the first proposed. */
export function testedModel({ test_model, models }: Pick<ChannelValues, 'test_model' | 'models'>, proposed: readonly string[]): string {
  const chats = models.filter(canChat);
  return test_model || (chats.find((model) => !proposed.includes(model)) ?? chats[0] ?? models[0] ?? '');
}
