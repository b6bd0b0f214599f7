// The only fetch to our server. Every request of the console goes through `call`, typed by the shared contracts.
import { z } from 'zod/mini';
import type { BodyInput, Endpoint, ExtraOf, ParamsInput, QueryInput, ReplyOf } from '#shared/contract.ts';
import { currentLanguage, translate } from '#pwa/i18n/setup.ts';
import { atBase } from '#pwa/ui/base-path.ts';
import { actingHeader } from './acting.ts';
import { CallFailure, statusMessage } from './failure.ts';
import { reportOutcome } from './outcomes.ts';
import { signIns, storedUser } from './stored-user.ts';

export type AnyEndpoint = Endpoint<
  z.core.$ZodType | undefined,
  z.core.$ZodType | undefined,
  z.core.$ZodType | undefined,
  z.core.$ZodType | undefined,
  z.core.$ZodType | undefined
>;
type Part<Name extends string, Value> = [Value] extends [undefined] ? { [K in Name]?: undefined } : { [K in Name]: Value };
type QueryPart<Value> = [Value] extends [undefined] ? { query?: undefined } : { query?: QueryValues<Value> };
/** Query values may be given as they are; they travel as text. Absent ones are left out. */
type QueryValues<Value> = { [K in keyof Value]?: string | number | boolean | undefined };

/** What a call is given: only what its endpoint takes. */
export type CallInput<E> = Part<'params', ParamsInput<E>> &
  QueryPart<QueryInput<E>> &
  Part<'body', BodyInput<E>> & {
    /** Body of an endpoint that takes bytes. */
    bytes?: Blob;
    signal?: AbortSignal;
    /** Milliseconds until the call is given up; 30,000 by default. */
    timeout?: number;
    /** Concerns the user also while the tab acts for an organisation. */
    asPerson?: boolean;
  };
type Input<E> = object extends CallInput<E> ? [input?: CallInput<E>] : [input: CallInput<E>];
export interface RawInput {
  params?: unknown;
  query?: unknown;
  body?: unknown;
  bytes?: Blob;
  signal?: AbortSignal;
  timeout?: number;
  asPerson?: boolean;
}

const defaultTimeout = 30_000;
/** The membership has ended, or its role is another one. */
const lostCodes = new Set(['organisation_unknown', 'organisation_disabled', 'organisation_right_missing']);
const Answer = z.looseObject({
  success: z.boolean(),
  message: z._default(z.string(), ''),
  code: z.optional(z.string()),
  field: z.optional(z.string()),
  data: z.optional(z.unknown()),
});

/** Calls an endpoint and gives its `data`. Throws a `CallFailure`. */
export async function call<E extends AnyEndpoint>(endpoint: E, ...input: Input<E>): Promise<ReplyOf<E>> {
  return (await callWithExtra(endpoint, ...input)).data;
}

/** Like `call`, with the keys next to `data` and the message. */
export async function callWithExtra<E extends AnyEndpoint>(
  endpoint: E,
  ...input: Input<E>
): Promise<{ data: ReplyOf<E>; extra: ExtraOf<E>; message: string }> {
  const given: RawInput = input[0] ?? {};
  const { answer, details } = await exchange(endpoint, given);
  return {
    data: readPart<ReplyOf<E>>(endpoint.reply, answer.data, details),
    extra: readPart<ExtraOf<E>>(endpoint.extra, answer, details),
    message: answer.message,
  };
}

async function exchange(endpoint: AnyEndpoint, input: RawInput) {
  // Of the account at this moment: the tab may act for another one in the next.
  const onBehalf = input.asPerson === true ? {} : actingHeader(endpoint);
  // A screen requests all its data while it renders: sending in the same task would block a slow phone's response to a touch.
  if (endpoint.method === 'GET') await nextTask();
  const url = endpointUrl(endpoint, input);
  const details = `${endpoint.method} ${url}`;
  const deadline = AbortSignal.timeout(input.timeout ?? defaultTimeout);
  const signal = input.signal === undefined ? deadline : AbortSignal.any([input.signal, deadline]);

  const session = currentSession();
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, {
      method: endpoint.method,
      headers: {
        ...requestHeaders(input.body !== undefined),
        ...onBehalf,
        ...(input.bytes === undefined ? {} : { 'Content-Type': 'application/octet-stream' }),
      },
      body: input.bytes ?? (input.body === undefined ? null : JSON.stringify(input.body)),
      cache: 'no-store',
      credentials: 'same-origin',
      signal,
    });
    text = await response.text();
  } catch (cause) {
    throw noAnswer(cause, { cancelled: input.signal?.aborted === true, timedOut: deadline.aborted, details });
  }
  return { answer: readAnswer(endpoint, { response, text, details, session }), details };
}

/** Unlike a timer it comes at once, also in a tab that is out of sight. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

export function endpointUrl(endpoint: AnyEndpoint, input: RawInput): string {
  const params = new Map(Object.entries(input.params ?? {}));
  const path = atBase(endpoint.path).replace(/:(\w+)/g, (_whole, name: string) => encodeURIComponent(String(params.get(name) ?? '')));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined && value !== null && value !== '') query.set(name, String(value));
  }
  const search = query.toString();
  return search === '' ? path : `${path}?${search}`;
}

export function requestHeaders(hasBody: boolean): Record<string, string> {
  return {
    Accept: 'application/json',
    'Accept-Language': currentLanguage() === 'en' ? 'en' : 'zh-CN',
    'New-Api-User': senderId(),
    ...(hasBody ? { 'Content-Type': 'application/json' } : {}),
  };
}

/** Returns the id of the sender, as the server receives it. */
function senderId(): string {
  return String(storedUser()?.id ?? -1);
}

/** Returns the sender, and its sign-in on this device. */
export function currentSession(): string {
  return `${senderId()} ${signIns()}`;
}

/**
 * Reports that a call sent in `session` was refused. It has no effect on a user who has signed in since then, even on the same user with a new
 * session.
 */
export function reportSessionOver(session: string): void {
  if (session === currentSession()) reportOutcome('session_over');
}

export function noAnswer(cause: unknown, seen: { cancelled: boolean; timedOut: boolean; details: string }): CallFailure {
  const { details } = seen;
  if (seen.cancelled) return new CallFailure({ code: 'cancelled', message: translate('errors.cancelled'), details, cause });
  // A browser that knows it has no network says so; anything else is the server's silence.
  if (navigator.onLine === false) {
    reportOutcome('offline');
    return new CallFailure({ code: 'offline', message: translate('errors.offline'), details, cause });
  }
  reportOutcome('unreachable');
  const code = seen.timedOut ? 'timed_out' : 'server_unreachable';
  return new CallFailure({ code, message: translate(`errors.${code}`), details, cause });
}

function readAnswer(
  endpoint: AnyEndpoint,
  { response, text, details: request, session }: { response: Response; text: string; details: string; session: string },
) {
  const requestId = response.headers.get('x-oneapi-request-id') ?? undefined;
  const details = [request, `HTTP ${response.status}`, requestId ?? ''].filter((part) => part !== '').join(' · ');
  const parsed = Answer.safeParse(parseJson(text));
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  const retryAfter = Number.isFinite(seconds) && seconds > 0 ? Math.ceil(seconds) : undefined;

  if (!parsed.success) {
    // Not our envelope: a proxy in between, or nothing behind it.
    const away = response.status >= 502 && response.status <= 504;
    reportOutcome(away ? 'unreachable' : 'answered');
    if (response.status === 401) reportSessionOver(session);
    throw new CallFailure({
      code: away ? 'server_unreachable' : response.ok ? 'bad_answer' : `http_${response.status}`,
      message: response.ok ? translate('errors.bad_answer') : statusMessage(response.status, '', retryAfter),
      status: response.status,
      details,
      requestId,
      retryAfter,
    });
  }

  reportOutcome('answered');
  const answer = parsed.data;
  if (response.ok && answer.success) return answer;
  if (response.status === 401 && endpoint.access !== 'public') reportSessionOver(session);
  if (answer.code !== undefined && lostCodes.has(answer.code)) reportOutcome('organisation_refused');
  throw new CallFailure({
    code: answer.code ?? (response.ok ? 'refused' : `http_${response.status}`),
    message: response.ok ? refusalText(answer) : statusMessage(response.status, answer.message, retryAfter),
    status: response.status,
    data: answer.data,
    extra: answer,
    details,
    requestId,
    field: answer.field,
    retryAfter,
  });
}

/** Answers that old clients compare say no more than `error` there, and the text in their data. */
function refusalText({ message, data }: z.output<typeof Answer>): string {
  return message === 'error' && typeof data === 'string' ? data : message;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Checks a part of the answer against its schema: the network is an edge, also when the server is ours. */
function readPart<T>(schema: z.core.$ZodType | undefined, value: unknown, details: string): T;
function readPart(schema: z.core.$ZodType | undefined, value: unknown, details: string): unknown {
  if (schema === undefined) return undefined;
  const parsed = z.safeParse(schema, value);
  if (parsed.success) return parsed.data;
  throw new CallFailure({
    code: 'bad_answer',
    message: translate('errors.bad_answer'),
    status: 200,
    details: `${details}\n${z.prettifyError(parsed.error)}`,
  });
}
