// Cache marks that a provider supports in this format. https://openrouter.ai/docs/features/prompt-caching
// https://www.alibabacloud.com/help/en/model-studio/context-cache https://docs.litellm.ai/docs/completion/prompt_caching
import type { CacheHint, ChatRequest, Message } from '../parts.ts';
import type { CacheMarks } from '../provider-traits.ts';

type Hinted = { cache?: CacheHint };

/** Returns the request with supported marks, and whether others are lost. Without marks, the same request. */
export function withMarks(request: ChatRequest, marks: CacheMarks | undefined): { request: ChatRequest; isLost: boolean } {
  const { tools, messages } = request;
  if (!tools.some(isHinted) && !messages.some(({ content }) => content.some(isHinted))) return { request, isLost: false };
  let isLost = false;
  const fit = <Part extends object>(part: Part, isTaken: boolean): Part => {
    if (!isHinted(part)) return part;
    if (marks !== undefined && isTaken) return part.cache === '1h' && marks.forAnHour !== true ? { ...part, cache: '5m' } : part;
    isLost = true;
    const bare = { ...part };
    delete bare.cache;
    return bare;
  };
  const fitMessage = <Of extends Message>(message: Of): Of => ({
    ...message,
    content: message.content.map((part) => fit(part, part.type === 'text' || part.type === 'tool_result')),
  });
  return {
    request: { ...request, tools: tools.map((tool) => fit(tool, marks?.onTools === true)), messages: messages.map(fitMessage) },
    isLost,
  };
}

export function cacheControl(cache: CacheHint | undefined): { cache_control?: object } {
  return cache === undefined ? {} : { cache_control: { type: 'ephemeral', ...(cache === '1h' ? { ttl: '1h' } : {}) } };
}

function isHinted<Part extends object>(part: Part): part is Part & Hinted {
  return 'cache' in part && part.cache !== undefined;
}
