// Responds to calls about tasks: in JSON, with errors in the form that the clients of tasks expect.
import { AppError, type Language } from '#shared/errors.ts';
import type { Connection } from '#server/http/connection.ts';
import type { DirectResponse } from '#server/http/lean-response.ts';
import { failureHeaders, toAppError } from '#server/http/failure.ts';
import { callerLanguage, languageOf } from '#server/http/language.ts';
import { dropBody } from '#server/http/read-body.ts';
import { newRequestId } from '#server/http/request-id.ts';
import { surfaceAt } from '#server/call/endpoints.ts';
import { errorResponse, gatewayError } from '#server/call/relay-failure.ts';
import type { Progress } from '#server/call/admission/admit-call.ts';
import { noteRefusal } from '#server/call/admission/note-refusal.ts';
import type { RelayServices } from '#server/call/services.ts';
import { TaskFailure } from './task-failure.ts';

export interface TaskAnswer {
  status: number;
  body: object;
}

interface TaskRequest {
  request: Request;
  connection: Connection | null;
  /** Returns the response for a refusal; null if it has the form of the relay's other errors. */
  refusal(failure: unknown, language: Language, requestId: string): TaskAnswer | null;
}

/** Facts about a call for its log. */
export interface NotedCall {
  requestId: string;
  /** Receives the caller of the console. */
  progress: Progress;
  /** Called with the model as soon as it is known. */
  onModel(model: string): void;
}

export function answerTasks(
  services: RelayServices,
  requested: TaskRequest,
  work: (noted: NotedCall) => Promise<TaskAnswer>,
): Promise<Response> {
  return answerDirectly(services, requested, async (noted) => {
    const { status, body } = await work(noted);
    return Response.json(body, { status, headers: headersOf(noted) });
  });
}

function headersOf({ requestId }: Pick<NotedCall, 'requestId'>): Record<string, string> {
  return { 'cache-control': 'no-store', 'x-oneapi-request-id': requestId };
}

/** Responds to a call whose response is not only JSON. */
export async function answerDirectly<Answer extends DirectResponse>(
  services: RelayServices,
  { request, connection, refusal }: TaskRequest,
  work: (noted: NotedCall) => Promise<Answer>,
): Promise<Answer | Response> {
  const { context } = services;
  const requestId = newRequestId(context);
  const language = languageFor(request);
  const headers = headersOf({ requestId });
  const progress: Progress = { requestId, model: '' };
  try {
    return await work({ requestId, progress, onModel: (name) => (progress.model = name) });
  } catch (failure) {
    if (connection !== null) dropBody(connection);
    if (failure instanceof AppError) noteRefusal(services, failure, { request, connection, requestId, progress });
    const reported = refusal(failure, language, requestId);
    if (reported !== null)
      return Response.json(reported.body, { status: reported.status, headers: { ...headers, ...retryHeaders(failure) } });
    const error = toAppError(failure instanceof TaskFailure ? failure.error : failure, context, requestId);
    return errorResponse(surfaceAt('/v1'), gatewayError(error, language, requestId), requestId, error.retryAfter);
  }
}

const ownPath = /^(?:https?:\/\/[^/]*)?\/v1(?:beta)?\//;

/** Returns the language of errors. SDKs of OpenAI and Google send none; clients of the other paths get Chinese by default. */
export function languageFor({ url, headers }: Pick<Request, 'url' | 'headers'>): Language {
  return ownPath.test(url) ? callerLanguage(headers) : languageOf(headers.get('accept-language'));
}

function retryHeaders(failure: unknown): Record<string, string> {
  const error = failure instanceof TaskFailure ? failure.error : failure;
  return error instanceof AppError ? retryOnly(failureHeaders(error, '')) : {};
}

function retryOnly({ 'retry-after': after }: Record<string, string>): Record<string, string> {
  return after === undefined ? {} : { 'retry-after': after };
}
