// Presents a provider's refusal of a video in OpenAI's error format.
import type { Language } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { surfaceAt } from '#server/call/endpoints.ts';
import { reportFailure } from '#server/call/relay-failure.ts';
import type { TaskAnswer } from '#server/call/tasks/answer-tasks.ts';
import { TaskFailure } from '#server/call/tasks/task-failure.ts';

/** Returns null for errors that are presented as on every path. */
export function videoRefusal({ settings }: Pick<AppContext, 'settings'>) {
  return (failure: unknown, language: Language, requestId: string): TaskAnswer | null => {
    if (!(failure instanceof TaskFailure) || failure.reported === undefined) return null;
    const keywords = settings.get('AutomaticDisableKeywords');
    const { error } = reportFailure(failure.reported, { language, requestId, keywords });
    return { status: error.status, body: surfaceAt('/v1').errorBody(error, requestId) };
  };
}
