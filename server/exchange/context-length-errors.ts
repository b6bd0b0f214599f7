// Messages and codes by which providers reject a prompt that exceeds the context length. Numeric codes are in the
// provider's record.

/** https://platform.openai.com/docs/guides/error-codes and neighbours */
const codes: ReadonlySet<string> = new Set([
  'context_length_exceeded', // OpenAI, Azure, Groq, Cerebras
  'exceed_context_size_error', // llama.cpp
  'model_max_prompt_tokens_exceeded', // GitHub Models
  'tokens_too_long', // Baidu Qianfan
  'context_window_exceeded',
  'prompt_too_long',
]);

const patterns: readonly RegExp[] = [
  // Anthropic, Bedrock, Fireworks, Dify, Ollama's cloud
  /prompt is too long/,
  /prompt too long/,
  /input length and `max_tokens` exceed context limit/,
  // OpenAI, Azure
  /exceeds the context window/,
  // OpenAI, vLLM, SGLang, DeepSeek, OpenRouter, Groq, Llama on Bedrock, Ollama
  /maximum context length/,
  /maximum input length of \d+ tokens/,
  // Groq, Cerebras
  /reduce the length of the (?:messages|prompt|input)/,
  // vLLM, SGLang
  /model's context length is only \d/,
  /longer than the (?:maximum model length|model's context length)/,
  // Gemini, Vertex AI
  /input token count .{0,40}exceeds the maximum/,
  /input token count is \d+ but .{0,20}model only supports up to \d/,
  // Bedrock
  /input is too long/,
  /too many input tokens/,
  /input tokens exceeded/,
  /number of input tokens exceeds/,
  // SGLang
  /input length \(\d+ tokens\) exceeds the maximum allowed length/,
  // Ollama
  /input length exceeds .{0,20}context length/,
  // llama.cpp and its Python server
  /exceeds? the available context size/,
  /exceed context window of \d/,
  // LM Studio
  /greater than the context length/,
  /when context the overflows/,
  // Mistral
  /too large for model with \d+ maximum context/,
  // Cohere
  /too many tokens: /,
  // Moonshot
  /exceeded model token limit/,
  /input token length too long/,
  // Zhipu
  /prompt exceeds max length/,
  /prompt\s*超长/,
  // MiniMax
  /context window exceeds limit/,
  // Alibaba
  /range of input length should be \[/,
  // xAI
  /maximum prompt length is \d/,
  // GitHub Models
  /prompt token count of \d+ exceeds the limit of \d/,
  // Volcengine
  /exceed max message tokens/,
  /input length \d+ exceeds the maximum length/,
  // SiliconFlow
  /length of prompt_tokens .{0,20}must be less than max_seq_len/,
  // Baidu
  /prompt tokens too long/,
  /the max (?:input characters|length of current question) is \d/,
  // Tencent, Spark
  /输入(?:内容|文本)?(?:的)?(?:长度)?(?:超过|超出|过长)/,
  /token数量超过上限/,
  // Cloudflare
  /exceeded this model context window/,
  // Hugging Face's text-generation-inference, Together
  /`inputs` must have less than \d+ tokens/,
  /`inputs` tokens \+ `max_new_tokens` must be <= ?\d/,
  // Intermediate gateways
  /context[_ ](?:length|window)[_ ]exceeded/,
  /exceed(?:s|ed)? (?:the |this |its )?(?:model's |model )?(?:maximum )?context (?:length|window|limit|size)/,
];

export interface ContextLengthError {
  message: string;
  type: string;
  code: string | number | null;
  /** OpenRouter's `error.metadata`; `raw` holds the message of the provider behind it. */
  metadata?: unknown;
  /** Codes by which this provider rejects such a prompt. */
  codesOfLength?: readonly string[] | undefined;
}

/** Maximum length of the searched text. */
const longestWords = 4000;

export function isContextLengthError({ message, type, code, metadata, codesOfLength }: ContextLengthError): boolean {
  const name = String(code);
  if (codes.has(name) || codes.has(type) || codesOfLength?.includes(name) === true) return true;
  const raw = typeof metadata === 'object' && metadata !== null && 'raw' in metadata ? metadata.raw : undefined;
  return [message, raw].some((words) => {
    if (typeof words !== 'string') return false;
    const text = words.slice(0, longestWords).toLowerCase();
    return patterns.some((pattern) => pattern.test(text));
  });
}
