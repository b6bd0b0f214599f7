// Fields around the content of every Messages response, complete or streamed.
import { noTokens, type TokenUsage } from '#shared/token-usage.ts';
import type { ResponseWriterOptions } from '../client-dialect.ts';
import type { ResponsePart } from '../parts.ts';
import { responseId } from '../vendor-ids.ts';
import { writeTokenUsage } from './token-usage.ts';

export type Json = Record<string, unknown>;
export type StartPart = Extract<ResponsePart, { type: 'start' }>;

/** Fields that are written as null, because strict clients require them. */
export const unknownOfDelta: Json = { container: null, stop_details: null };
export const unknownOfMessage: Json = { ...unknownOfDelta, diagnostics: null };

/** Reports the prompt edits applied by the gateway, if requested. */
export function editsMade({ requested = {} }: ResponseWriterOptions): Json {
  const { applied_edits: edits } = requested;
  return edits === undefined ? {} : { context_management: { applied_edits: edits } };
}

/**
 * Returns the model name for the response, the caller's by default: Claude Code drops thinking, including signatures of
 * calls, from messages of another model.
 */
function modelOf(start: StartPart, { model, preservesIds = false }: ResponseWriterOptions): string {
  return preservesIds ? start.model || model : model;
}

export const noStart: StartPart = { type: 'start', id: '', model: '' };

export function messageHead(start: StartPart, options: ResponseWriterOptions): Json {
  return { id: responseId('msg_', start.id, options), type: 'message', role: 'assistant', model: modelOf(start, options) };
}

/** Writes the start event. It reports input tokens, which most formats report at the end: they are repeated there. */
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
