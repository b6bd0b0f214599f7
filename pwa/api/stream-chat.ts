// The playground's calls: a chat that is answered as a stream of events. https://html.spec.whatwg.org/multipage/server-sent-events.html
import { z } from 'zod/mini';
import { translate } from '#pwa/i18n/setup.ts';
import { currentSession } from './call.ts';
import type { EventReader } from './chat-event-readers.ts';
import { CallFailure } from './failure.ts';
import { reportOutcome } from './outcomes.ts';
import { failureIn, parse, readingOn, refusal, sendToPlayground } from './playground-call.ts';

const chatPath = 'chat/completions';

/** What one event brings. */
export interface ChatPiece {
  text?: string;
  reasoning?: string;
  /** By the place of the call in the answer; names come whole, arguments in pieces. */
  toolCalls?: { index: number; name: string; arguments: string }[];
  finish?: string;
  usage?: { prompt: number; completion: number; reasoning: number };
}

export interface ChatCall {
  body: Record<string, unknown>;
  signal: AbortSignal;
  /** The server has taken the call. */
  onStart: (requestId: string | undefined) => void;
  onPiece: (piece: ChatPiece) => void;
  /** In another format than OpenAI's chat: its path below `/pg/`, and how its events are read. */
  format?: { path: string; read: EventReader };
}

const text = z.nullish(z.string());
const count = z.catch(z.number(), 0);
const SentToolCall = z.looseObject({ index: count, function: z.optional(z.looseObject({ name: text, arguments: text })) });
const ChatEvent = z.looseObject({
  choices: z.nullish(
    z.array(
      z.looseObject({
        delta: z.nullish(
          z.looseObject({
            content: text,
            reasoning_content: text,
            reasoning: z.catch(text, undefined),
            tool_calls: z.catch(z.nullish(z.array(SentToolCall)), undefined),
          }),
        ),
        finish_reason: text,
      }),
    ),
  ),
  usage: z.catch(
    z.nullish(
      z.looseObject({
        prompt_tokens: count,
        completion_tokens: count,
        completion_tokens_details: z.catch(z.nullish(z.looseObject({ reasoning_tokens: count })), undefined),
      }),
    ),
    undefined,
  ),
  error: z.optional(z.unknown()),
});
/** Resolves when the answer is complete. @throws {CallFailure} also in the middle of an answer */
export async function streamChat({ body, signal, onStart, onPiece, format }: ChatCall): Promise<void> {
  const session = currentSession();
  const path = format?.path ?? chatPath;
  const details = `POST /pg/${path}`;
  const call = { path, body, signal, onStart };
  const { response, requestId } = await sendToPlayground(call, 'text/event-stream');
  const { body: stream } = response;
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (!isStream || stream === null) throw await refusal(response, { requestId, session, details });
  reportOutcome('answered');
  let isComplete = false;
  await readingOn(call, async () => {
    for await (const data of eventsOf(stream)) {
      if (data === '[DONE]') isComplete = true;
      else if (format === undefined) onPiece(readEvent(data, { requestId, details }));
      else {
        const { piece, isEnd, error } = format.read(parse(data));
        if (error !== undefined) throw failureIn({ error }, { status: 502, requestId, details });
        if (piece !== undefined) onPiece(piece);
        isComplete ||= isEnd === true;
      }
    }
  });
  if (!isComplete) throw lost(requestId);
}

/** The data of every event. A line may end in the middle of a chunk, and a character, too. */
export async function* eventsOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += decoder.decode(value, { stream: !done });
      const lines = rest.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith('data:')) yield line.slice(5).trim();
      if (done) return;
    }
  } finally {
    // A reader that stops ends the call.
    await reader.cancel().catch(() => undefined);
  }
}

function readEvent(data: string, { requestId, details }: { requestId: string | undefined; details: string }): ChatPiece {
  const event = ChatEvent.safeParse(parse(data)).data;
  if (event === undefined) return {};
  if (event.error !== undefined && event.error !== null) throw failureIn(event, { status: 502, requestId, details });
  const choice = event.choices?.[0];
  const delta = choice?.delta ?? {};
  const reasoning = delta.reasoning_content || delta.reasoning;
  const { usage } = event;
  return {
    ...(delta.content ? { text: delta.content } : {}),
    ...(reasoning ? { reasoning } : {}),
    ...(delta.tool_calls ? { toolCalls: delta.tool_calls.map(readToolCall) } : {}),
    ...(choice?.finish_reason ? { finish: choice.finish_reason } : {}),
    ...(usage
      ? {
          usage: {
            prompt: usage.prompt_tokens,
            completion: usage.completion_tokens,
            reasoning: usage.completion_tokens_details?.reasoning_tokens ?? 0,
          },
        }
      : {}),
  };
}

function readToolCall({ index, function: called }: z.infer<typeof SentToolCall>) {
  return { index, name: called?.name ?? '', arguments: called?.arguments ?? '' };
}

function lost(requestId: string | undefined): CallFailure {
  const known = requestId === undefined ? {} : { requestId };
  return new CallFailure({ code: 'cut', message: translate('errors.server_unreachable'), ...known });
}
