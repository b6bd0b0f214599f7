// Readers of stream events in the formats other than OpenAI's chat. https://platform.openai.com/docs/api-reference/responses-streaming,
// https://docs.claude.com/en/docs/build-with-claude/streaming, https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent
import { z } from 'zod/mini';
import type { ChatPiece } from './stream-chat.ts';

export interface ReadEvent {
  piece?: ChatPiece;
  /** The answer is complete. */
  isEnd?: boolean;
  /** What a refusal in the middle of the stream says. */
  error?: { message: string; code?: unknown };
}
/** Of one stream, in order. */
export type EventReader = (event: unknown) => ReadEvent;

const text = z.catch(z.string(), '');
const count = z.catch(z.number(), 0);
const ErrorBody = z.catch(
  z.nullish(z.looseObject({ message: text, code: z.optional(z.unknown()), type: z.optional(z.unknown()) })),
  undefined,
);

const ResponsesEvent = z.looseObject({
  type: text,
  delta: z.optional(z.unknown()),
  output_index: count,
  item: z.catch(z.nullish(z.looseObject({ type: text, name: text })), undefined),
  response: z.catch(
    z.nullish(
      z.looseObject({
        usage: z.catch(
          z.nullish(
            z.looseObject({
              input_tokens: count,
              output_tokens: count,
              output_tokens_details: z.catch(z.nullish(z.looseObject({ reasoning_tokens: count })), undefined),
            }),
          ),
          undefined,
        ),
        incomplete_details: z.catch(z.nullish(z.looseObject({ reason: text })), undefined),
        error: ErrorBody,
      }),
    ),
    undefined,
  ),
  message: text,
  code: z.optional(z.unknown()),
});

export function responsesReader(): EventReader {
  const places = createPlaces();
  return (event) => {
    const read = ResponsesEvent.safeParse(event).data;
    if (read === undefined) return {};
    const { type, output_index: index, item, response } = read;
    const delta = typeof read.delta === 'string' ? read.delta : '';
    switch (type) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        return { piece: { text: delta } };
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return { piece: { reasoning: delta } };
      case 'response.output_item.added':
        return item?.type === 'function_call' ? { piece: { toolCalls: [{ index: places(index), name: item.name, arguments: '' }] } } : {};
      case 'response.function_call_arguments.delta':
        return { piece: { toolCalls: [{ index: places(index), name: '', arguments: delta }] } };
      case 'response.completed':
      case 'response.incomplete': {
        const reason = response?.incomplete_details?.reason;
        const finish = type === 'response.completed' ? 'stop' : reason === 'content_filter' ? reason : 'length';
        const { usage } = response ?? {};
        const told = { prompt: usage?.input_tokens ?? 0, completion: usage?.output_tokens ?? 0 };
        const reasoning = usage?.output_tokens_details?.reasoning_tokens ?? 0;
        return { piece: { finish, ...(usage ? { usage: { ...told, reasoning } } : {}) }, isEnd: true };
      }
      case 'response.failed':
        return { error: response?.error ?? { message: '', code: undefined } };
      case 'error':
        return { error: { message: read.message, code: read.code } };
      default:
        return {};
    }
  };
}

const ClaudeUsage = z.catch(
  z.nullish(
    z.looseObject({ input_tokens: count, output_tokens: count, cache_read_input_tokens: count, cache_creation_input_tokens: count }),
  ),
  undefined,
);
const ClaudeEvent = z.looseObject({
  type: text,
  index: count,
  message: z.catch(z.nullish(z.looseObject({ usage: ClaudeUsage })), undefined),
  content_block: z.catch(z.nullish(z.looseObject({ type: text, name: text })), undefined),
  delta: z.catch(z.nullish(z.looseObject({ type: text, text, thinking: text, partial_json: text, stop_reason: text })), undefined),
  usage: ClaudeUsage,
  error: ErrorBody,
});
const claudeFinish = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['tool_use', 'tool_calls'],
  ['refusal', 'content_filter'],
]);

export function claudeReader(): EventReader {
  const places = createPlaces();
  let prompt = 0;
  const promptOf = (usage: z.infer<typeof ClaudeUsage>) =>
    (usage?.input_tokens ?? 0) + (usage?.cache_read_input_tokens ?? 0) + (usage?.cache_creation_input_tokens ?? 0);
  return (event) => {
    const read = ClaudeEvent.safeParse(event).data;
    if (read === undefined) return {};
    const { type, index, delta, content_block: block, usage } = read;
    switch (type) {
      case 'message_start':
        prompt = promptOf(read.message?.usage);
        return {};
      case 'content_block_start':
        return block?.type === 'tool_use' ? { piece: { toolCalls: [{ index: places(index), name: block.name, arguments: '' }] } } : {};
      case 'content_block_delta':
        if (delta?.type === 'text_delta') return { piece: { text: delta.text } };
        if (delta?.type === 'thinking_delta') return { piece: { reasoning: delta.thinking } };
        if (delta?.type === 'input_json_delta')
          return { piece: { toolCalls: [{ index: places(index), name: '', arguments: delta.partial_json }] } };
        return {};
      case 'message_delta': {
        prompt = Math.max(prompt, promptOf(usage));
        const reason = delta?.stop_reason ?? '';
        return {
          piece: {
            ...(reason === '' ? {} : { finish: claudeFinish.get(reason) ?? reason }),
            usage: { prompt, completion: usage?.output_tokens ?? 0, reasoning: 0 },
          },
        };
      }
      case 'message_stop':
        return { isEnd: true };
      case 'error':
        return { error: { message: read.error?.message ?? '', code: read.error?.type } };
      default:
        return {};
    }
  };
}

const GeminiEvent = z.looseObject({
  candidates: z.catch(
    z.nullish(
      z.array(
        z.looseObject({
          content: z.catch(
            z.nullish(
              z.looseObject({
                parts: z.catch(
                  z.nullish(
                    z.array(
                      z.looseObject({
                        text,
                        thought: z.catch(z.boolean(), false),
                        functionCall: z.catch(z.nullish(z.looseObject({ name: text, args: z.optional(z.unknown()) })), undefined),
                      }),
                    ),
                  ),
                  undefined,
                ),
              }),
            ),
            undefined,
          ),
          finishReason: text,
        }),
      ),
    ),
    undefined,
  ),
  promptFeedback: z.catch(z.nullish(z.looseObject({ blockReason: text })), undefined),
  usageMetadata: z.catch(
    z.nullish(z.looseObject({ promptTokenCount: count, candidatesTokenCount: count, thoughtsTokenCount: count })),
    undefined,
  ),
  error: ErrorBody,
});
const geminiFinish = new Map([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
]);

export function geminiReader(): EventReader {
  let calls = 0;
  return (event) => {
    const read = GeminiEvent.safeParse(event).data;
    if (read === undefined) return {};
    if (read.error) return { error: read.error };
    const candidate = read.candidates?.[0];
    const parts = candidate?.content?.parts ?? [];
    const spoken = (isThought: boolean) =>
      parts
        .filter(({ thought }) => thought === isThought)
        .map((part) => part.text)
        .join('');
    const toolCalls = parts.flatMap(({ functionCall: call }) =>
      call ? [{ index: calls++, name: call.name, arguments: JSON.stringify(call.args ?? {}) }] : [],
    );
    const reason = candidate?.finishReason || read.promptFeedback?.blockReason || '';
    const { usageMetadata: usage } = read;
    const reasoning = usage?.thoughtsTokenCount ?? 0;
    return {
      piece: {
        ...(spoken(false) === '' ? {} : { text: spoken(false) }),
        ...(spoken(true) === '' ? {} : { reasoning: spoken(true) }),
        ...(toolCalls.length === 0 ? {} : { toolCalls }),
        ...(reason === '' ? {} : { finish: geminiFinish.get(reason) ?? 'content_filter' }),
        ...(usage ? { usage: { prompt: usage.promptTokenCount, completion: usage.candidatesTokenCount + reasoning, reasoning } } : {}),
      },
      // It has no marker of its own for the end.
      isEnd: reason !== '',
    };
  };
}

/** Calls of tools by their order: other parts of the answer have places between them. */
function createPlaces(): (index: number) => number {
  const known = new Map<number, number>();
  return (index) => {
    const place = known.get(index) ?? known.size;
    known.set(index, place);
    return place;
  };
}
