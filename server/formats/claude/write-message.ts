// What every Messages response has around its content, whole and as a stream.
import { noTokens } from '#shared/token-usage.ts';
import type { TokenUsage } from '#shared/token-usage.ts';
import type { ResponseWriterOptions } from '../client-dialect.ts';
import type { ResponsePart } from '../parts.ts';
import { responseId } from '../vendor-ids.ts';
import { writeTokenUsage } from './token-usage.ts';

export type Json = Record<string, unknown>;
export type StartPart = Extract<ResponsePart, { type: 'start' }>;

/** What may be null is there all the same: strict clients miss it. */
export const unknownOfDelta: Json = { container: null, stop_details: null };
export const unknownOfMessage: Json = { ...unknownOfDelta, diagnostics: null };

/** Edits of the prompt that were made here, where the request asks for some. */
export function editsMade({ requested = {} }: ResponseWriterOptions): Json {
  const { applied_edits: edits } = requested;
  return edits === undefined ? {} : { context_management: { applied_edits: edits } };
}

/**
 * As the caller calls it: Claude Code sends back no thoughts of a message that another model has written, and the signatures of calls
 * are among them.
 */
function modelOf(start: StartPart, { model, preservesIds = false }: ResponseWriterOptions): string {
  return preservesIds ? start.model || model : model;
}

export const noStart: StartPart = { type: 'start', id: '', model: '' };

export function messageHead(start: StartPart, options: ResponseWriterOptions): Json {
  return { id: responseId('msg_', start.id, options), type: 'message', role: 'assistant', model: modelOf(start, options) };
}

/** The format tells the input at once; other formats tell it at the end, where it is told again. */
export function messageStart(start: StartPart, usage: TokenUsage | null, options: ResponseWriterOptions): string {
  const message = {
    ...messageHead(start, options),
    content: [],
    ...unknownOfMessage,
    stop_reason: null,
    stop_sequence: null,
    usage: writeTokenUsage(usage ?? { ...noTokens, input: options.promptEstimate }),
  };
  return event('message_start', { message });
}

export function event(type: string, rest: Json): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
}
