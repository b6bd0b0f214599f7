// Sends a call of the playground, of any kind: by session, with the relay's error message if it is refused.
import { z } from 'zod/mini';
import { atBase } from '#pwa/ui/base-path.ts';
import { currentSession, noAnswer, reportSessionOver, requestHeaders } from './call.ts';
import { CallFailure, statusMessage } from './failure.ts';
import { reportOutcome } from './outcomes.ts';

export interface PlaygroundCall {
  /** Below `/pg/`. */
  path: string;
  body: Record<string, unknown> | FormData;
  signal: AbortSignal;
  /** The server has taken the call. */
  onStart: (requestId: string | undefined) => void;
}

const ErrorBody = z.looseObject({
  error: z.optional(z.looseObject({ message: z.string(), code: z.unknown() })),
  message: z.optional(z.string()),
  code: z.optional(z.string()),
});

/** @param type of the answer that is wanted @throws {CallFailure} */
export async function sendToPlayground(
  { path, body, signal, onStart }: PlaygroundCall,
  type: string,
): Promise<{ response: Response; requestId: string | undefined }> {
  const details = `POST /pg/${path}`;
  const session = currentSession();
  const isForm = body instanceof FormData;
  let response: Response;
  try {
    response = await fetch(atBase(`/pg/${path}`), {
      method: 'POST',
      headers: { ...requestHeaders(!isForm), Accept: type },
      body: isForm ? body : JSON.stringify(body),
      cache: 'no-store',
      credentials: 'same-origin',
      signal,
    });
  } catch (cause) {
    throw noAnswer(cause, { cancelled: signal.aborted, timedOut: false, details });
  }
  const requestId = response.headers.get('x-oneapi-request-id') ?? undefined;
  onStart(requestId);
  if (!response.ok) throw await refusal(response, { requestId, session, details });
  return { response, requestId };
}

/** An answer that has begun. @throws {CallFailure} of a connection that is lost, or what was thrown on purpose */
export async function readingOn<Result>({ path, signal }: PlaygroundCall, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (cause) {
    if (cause instanceof CallFailure) throw cause;
    throw noAnswer(cause, { cancelled: signal.aborted, timedOut: false, details: `POST /pg/${path}` });
  }
}

interface Refused {
  requestId: string | undefined;
  session: string;
  details: string;
}

export async function refusal(response: Response, { requestId, session, details }: Refused): Promise<CallFailure> {
  const body = parse(await response.text().catch(() => ''));
  const isAway = response.status >= 502 && response.status <= 504 && !ErrorBody.safeParse(body).success;
  reportOutcome(isAway ? 'unreachable' : 'answered');
  if (response.status === 401) reportSessionOver(session);
  return failureIn(body, { status: response.status, requestId, details, retryAfter: response.headers.get('retry-after') });
}

interface Told extends Pick<Refused, 'requestId' | 'details'> {
  status: number;
  retryAfter?: string | null;
}

/** The texts of the relay say what is wrong with this call; the console's own for a status would hide that. */
export function failureIn(body: unknown, { status, requestId, details, retryAfter }: Told): CallFailure {
  const parsed = ErrorBody.safeParse(body).data;
  const sent = parsed?.error?.message ?? parsed?.message ?? '';
  const code = parsed?.error?.code ?? parsed?.code;
  const seconds = Number(retryAfter ?? Number.NaN);
  return new CallFailure({
    code: typeof code === 'string' ? code : `http_${status}`,
    message: sent === '' ? statusMessage(status, '', Number.isFinite(seconds) ? seconds : undefined) : sent,
    status,
    details: `${details} · HTTP ${status}`,
    requestId,
  });
}

export function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
