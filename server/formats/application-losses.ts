// Losses of requests to application platforms, where the application determines model, settings and tools.
import { writeHostedTools } from './hosted-tools.ts';
import { type Losses, untranslatable } from './losses.ts';
import { namedText } from './media.ts';
import type { AssistantPart, AudioPart, ChatRequest, FilePart, ImagePart, Message, UserPart } from './parts.ts';

/** Drops the settings of a request and reports their names. @throws {AppError} `untranslatable` */
export function noteSettings(request: ChatRequest, losses: Losses, title: string): void {
  const { stop, maxTokens, temperature, topP, topK } = request;
  if (stop !== undefined) throw untranslatable(request.clientFields.stop?.name ?? 'stop', title);
  if (maxTokens !== undefined) losses.drop('token_limit');
  if (temperature !== undefined) losses.drop('temperature');
  if (topP !== undefined) losses.drop('top_p');
  if (topK !== undefined) losses.drop('top_k');
  noteTools(request, losses, title);
}

/** Rejects or drops tools, thinking and response formats, which applications do not support. @throws {AppError} `untranslatable` */
export function noteTools(request: ChatRequest, losses: Losses, title: string): void {
  const { tools, toolChoice, parallelToolCalls, reasoning, responseFormat } = request;
  writeHostedTools(request, { losses, title, write: () => null });
  if (toolChoice?.kind === 'hosted') throw untranslatable(toolChoice.field, title);
  if (tools.length > 0) losses.dropNamed('tools');
  if (tools.some(({ cache }) => cache !== undefined)) losses.drop('cache_hints');
  if (toolChoice?.kind === 'required' || toolChoice?.kind === 'tool') losses.drop('forced_tool');
  if (parallelToolCalls === false) losses.drop('single_calls');
  if (reasoning?.isOn === true) losses.drop(reasoning.budgetTokens === undefined ? 'effort' : 'thinking_budget');
  if (responseFormat?.kind === 'json') losses.drop('json_without_schema');
}

export function noteMessage(message: Message, losses: Losses): void {
  if (message.content.some((part) => 'cache' in part && part.cache !== undefined)) losses.drop('cache_hints');
  if (message.role !== 'system' && message.name !== undefined) losses.drop('names');
}

/** Writes the response format as an instruction; null if none is requested. */
export function shapeInWords(format: ChatRequest['responseFormat']): string | null {
  return format?.kind === 'schema' ? `Answer with JSON that matches this schema:\n${JSON.stringify(format.schema)}` : null;
}

/**
 * Renders a part as text, including tool calls and results. Returns null for media.
 * @throws {AppError} `untranslatable`
 */
export function reportedText(
  part: UserPart | AssistantPart,
  { field, losses, title }: { field: string; losses: Losses; title: string },
): string | null {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text;
    case 'tool_call':
      if (part.seal !== undefined) losses.drop('foreign_thoughts');
      return `${part.name}(${part.arguments})`;
    case 'tool_result': {
      const texts = part.content.map((inner) => reportedText(inner, { field, losses, title }));
      if (texts.includes(null)) throw untranslatable(field, title);
      return texts.join('\n');
    }
    case 'hosted_call':
    case 'hosted_result':
      losses.drop('provider_tool_results');
      return '';
    case 'reasoning':
    case 'sealed':
      losses.drop(part.seal === undefined ? 'unsigned_thoughts' : 'foreign_thoughts');
      return '';
    default:
      return mediaText(part);
  }
}

function mediaText(part: ImagePart | AudioPart | FilePart): string | null {
  return part.type === 'file' ? namedText(part) : null;
}
