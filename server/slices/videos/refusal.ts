// How a provider's refusal of a video leaves: as every call of OpenAI's format tells one.
import type { Language } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { dialectAt } from '#server/call/endpoints.ts';
import { reportFailure } from '#server/call/relay-failure.ts';
import type { TaskAnswer } from '#server/call/tasks/submit-task.ts';
import { TaskFailure } from '#server/call/tasks/task-failure.ts';

/** Null: it is told as on every path of the relay. */
export function videoRefusal({ settings }: Pick<AppContext, 'settings'>) {
  return (failure: unknown, language: Language, requestId: string): TaskAnswer | null => {
    if (!(failure instanceof TaskFailure) || failure.reported === undefined) return null;
    const keywords = settings.get('AutomaticDisableKeywords');
    const { error } = reportFailure(failure.reported, { language, requestId, keywords });
    return { status: error.status, body: dialectAt('/v1').errorBody(error, requestId) };
  };
}
