// Closed tables of vendors' finish reasons, one per format. Unknown reasons count as a normal end and are logged.
import type { ErrorInResponse } from './stream-pipe.ts';
import type { FinishReason, ResponsePart } from './parts.ts';

/** Ending that makes the response an error with this status, whatever was written. */
interface FailedEnding {
  status: number;
}

export type Ending = FinishReason | FailedEnding;
export type Endings = ReadonlyMap<string, Ending>;

const failed: FailedEnding = { status: 502 };
const busy: FailedEnding = { status: 503 };
/** The request is at fault: every channel would end the same way. */
const refused: FailedEnding = { status: 400 };

/**
 * OpenAI: https://platform.openai.com/docs/api-reference/chat/object; Azure: the same; OpenRouter (`error`):
 * https://openrouter.ai/docs/api/api-reference/chat/send-chat-completion-request; DeepSeek (`insufficient_system_resource`):
 * https://api-docs.deepseek.com/api/create-chat-completion; Mistral (`model_length`, `error`): https://docs.mistral.ai/api/endpoint/chat;
 * Zhipu (`sensitive`, `network_error`, `model_context_window_exceeded`): https://docs.bigmodel.cn/api-reference; vLLM and SGLang
 * (`abort`, `repetition`): https://github.com/vllm-project/vllm/blob/main/vllm/v1/engine/__init__.py; Together (`eos`):
 * https://docs.together.ai/reference/chat-completions-1; text-generation-inference (`eos_token`, `stop_sequence`):
 * https://huggingface.github.io/text-generation-inference/; Baidu (`normal`): https://cloud.baidu.com/doc/qianfan-api; MiniMax
 * (`max_output`): https://platform.minimaxi.com/document/text; Perplexity, Groq, xAI, Moonshot, Alibaba and the others have OpenAI's words.
 */
export const chatEndings: Endings = table({
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
  error: failed,
  insufficient_system_resource: busy,
  model_length: 'length',
  sensitive: 'content_filter',
  network_error: failed,
  model_context_window_exceeded: 'length',
  abort: failed,
  repetition: 'stop',
  eos: 'stop',
  eos_token: 'stop',
  stop_sequence: 'stop_sequence',
  normal: 'stop',
  max_output: 'length',
});

/** https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons */
export const claudeEndings: Endings = table({
  end_turn: 'stop',
  stop_sequence: 'stop_sequence',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  pause_turn: 'pause',
  compaction: 'stop',
  refusal: 'content_filter',
});

/**
 * https://ai.google.dev/api/generate-content#FinishReason and, of Vertex AI,
 * https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/GenerateContentResponse#FinishReason
 */
export const geminiEndings: Endings = table({
  STOP: 'stop',
  MAX_TOKENS: 'length',
  CONTINUATION: 'pause',
  // No value of Google's, but of servers that imitate its API.
  FUNCTION_CALL: 'tool_calls',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  LANGUAGE: 'content_filter',
  OTHER: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  MODEL_ARMOR: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
  IMAGE_RECITATION: 'content_filter',
  IMAGE_OTHER: 'content_filter',
  NO_IMAGE: 'content_filter',
  MALFORMED_FUNCTION_CALL: failed,
  UNEXPECTED_TOOL_CALL: failed,
  TOO_MANY_TOOL_CALLS: failed,
  MALFORMED_RESPONSE: failed,
  MISSING_THOUGHT_SIGNATURE: refused,
});

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseResponse.html */
export const converseEndings: Endings = table({
  end_turn: 'stop',
  stop_sequence: 'stop_sequence',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  guardrail_intervened: 'content_filter',
  content_filtered: 'content_filter',
  malformed_model_output: failed,
  malformed_tool_use: failed,
});

/** https://docs.cohere.com/reference/chat and, of its first version, https://docs.cohere.com/v1/reference/chat */
export const cohereEndings: Endings = table({
  COMPLETE: 'stop',
  STOP_SEQUENCE: 'stop_sequence',
  MAX_TOKENS: 'length',
  ERROR_LIMIT: 'length',
  TOOL_CALL: 'tool_calls',
  ERROR_TOXIC: 'content_filter',
  ERROR: failed,
  TIMEOUT: failed,
  USER_CANCEL: failed,
});

/** Reasons in `incomplete_details`. https://platform.openai.com/docs/api-reference/responses/object */
export const responsesEndings: Endings = table({
  max_output_tokens: 'length',
  max_messages: 'length',
  content_filter: 'content_filter',
  // New input interrupted the response.
  steered: 'pause',
});

/** https://github.com/ollama/ollama/blob/main/llm/server.go; `load` and `unload` end requests without a prompt. */
export const ollamaEndings: Endings = table({ stop: 'stop', length: 'length', load: 'stop', unload: 'stop' });

/** https://cloud.tencent.com/document/product/1729/105701 */
export const hunyuanEndings: Endings = table({
  stop: 'stop',
  tool_calls: 'tool_calls',
  sensitive: 'content_filter',
  length: 'length',
});

/** https://cloud.baidu.com/doc/WENXINWORKSHOP/s/clntwmv7t */
export const ernieEndings: Endings = table({
  normal: 'stop',
  stop: 'stop',
  length: 'length',
  content_filter: 'content_filter',
  function_call: 'tool_calls',
});

/**
 * Reasons of all formats, for gateways that report the model's own (`native_finish_reason`) and hosts that mix them. A reason in two
 * formats means the same in both.
 */
const allEndings: Endings = new Map([
  ...cohereEndings,
  ...converseEndings,
  ...claudeEndings,
  ...geminiEndings,
  ...responsesEndings,
  ...ernieEndings,
  ...chatEndings,
]);

/** How a choice ended. `unknown`: a reason that is in no table. Functions return null if the choice has not ended. */
export type ReadEnding = { reason: FinishReason; unknown?: string } | { failure: ErrorInResponse };

/** Placeholders that some servers send before there is a reason. */
const none: ReadonlySet<unknown> = new Set(['', 'null', 'FINISH_REASON_UNSPECIFIED']);
/** Maximum characters of a reason in logs and errors. */
const longestWord = 100;

interface EndingOptions {
  /** The provider's explanation. */
  why?: unknown;
  /** Reason for a word that is in no table. */
  otherwise?: FinishReason;
}

export function readEnding(endings: Endings, word: unknown, { why, otherwise = 'stop' }: EndingOptions = {}): ReadEnding | null {
  if (typeof word !== 'string' || none.has(word)) return null;
  const ending = endings.get(word) ?? allEndings.get(word) ?? filtered(word);
  if (ending === undefined) return { reason: otherwise, unknown: word.slice(0, longestWord) };
  return typeof ending === 'string' ? { reason: ending } : { failure: failureOf(word, ending.status, why) };
}

/** Returns null if no format treats the word as a failure. */
export function failureIn(word: unknown, why?: unknown): ErrorInResponse | null {
  const ending = typeof word === 'string' ? (allEndings.get(word) ?? filtered(word)) : undefined;
  return ending === undefined || typeof ending === 'string' ? null : failureOf(String(word), ending.status, why);
}

/** Reads reasons of Google's OpenAI-compatible endpoints: `content_filter: PROHIBITED_CONTENT`, `function_call_filter: MALFORMED_FUNCTION_CALL`. */
function filtered(word: string): Ending | undefined {
  const [, kind, reason = ''] = /^(content|function_call)_filter: (\w+)$/.exec(word) ?? [];
  if (kind === undefined) return undefined;
  return geminiEndings.get(reason) ?? (kind === 'content' ? 'content_filter' : failed);
}

function failureOf(word: string, status: number, why: unknown): ErrorInResponse {
  const about = typeof why === 'string' && why.trim() !== '' ? `: ${why}` : '';
  const code = word.slice(0, longestWord);
  return { status, message: `The provider ended the response with ${code}${about}`, type: 'upstream_error', param: '', code };
}

/** @param reading null if the choice has not ended */
export function endingParts(reading: ReadEnding | null, place: { choice?: number; stopSequence?: string } = {}): ResponsePart[] {
  if (reading === null) return [];
  return 'failure' in reading ? [{ type: 'error', error: reading.failure }] : [{ type: 'finish', ...reading, ...place }];
}

function table(words: Readonly<Record<string, Ending>>): Endings {
  return new Map(Object.entries(words));
}
