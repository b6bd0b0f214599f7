// Records calls that were refused before any channel was tried.
import type { AppError } from '#shared/errors.ts';
import type { Connection } from '#server/http/connection.ts';
import type { Progress } from '#server/call/admission/admit-call.ts';
import type { RelayServices } from '#server/call/services.ts';

interface RefusedCall {
  request: Request;
  connection: Connection | null;
  requestId: string;
  progress: Progress;
}

/** Maximum characters of a model name that are stored. */
const longestModel = 100;

/** Recorded errors, with the request id that the caller received. */
const noted = new WeakMap<AppError, string>();

/** Returns the request id under which an error was recorded; undefined if it was not. */
export function notedAs(error: AppError): string | undefined {
  return noted.get(error);
}

/** Records a refusal in the log of the key's owner, and for users who watch for their first call and need the reason if none arrives. */
export function noteRefusal(
  { context, gate, refusals, refusalLog, stages, addressOf }: RelayServices,
  error: AppError,
  { request, connection, requestId, progress }: RefusedCall,
): void {
  noted.set(error, requestId);
  const { model, caller } = progress;
  stages.refused(error, model);
  context.budgets.refused(error);
  if (caller !== undefined) {
    const token = { id: 0, name: caller.tokenName, group: caller.group };
    refusalLog.note({ user: caller.user, token, model, requestId, error });
    return;
  }
  const { owner, tail, length } = gate.describe(request);
  if (owner !== null) refusalLog.note({ ...owner, model, requestId, error });
  if (!refusals.isWatching) return;
  refusals.note({
    userId: owner?.user.id ?? null,
    refusal: {
      request_id: requestId,
      at: Math.floor(context.now() / 1000),
      code: error.code,
      status: error.status,
      model: typeof error.details['model'] === 'string' ? model.slice(0, longestModel) : '',
      ip: addressOf(request, connection),
      token_name: owner?.token.name ?? null,
      key_tail: tail,
      key_length: length,
    },
  });
}
