// Registry of all client and upstream formats. The only file outside their folders that imports them.
import { claudeClient } from './claude/client.ts';
import { claudeUpstream } from './claude/upstream.ts';
import type { ClientDialect } from './client-dialect.ts';
import { cohereUpstream } from './cohere/upstream.ts';
import { cozeUpstream } from './coze/upstream.ts';
import { converseUpstream } from './converse/upstream.ts';
import { difyUpstream } from './dify/upstream.ts';
import { ernieUpstream } from './ernie/upstream.ts';
import { geminiClient } from './gemini/client.ts';
import { geminiInteractionsClient } from './gemini/interactions/client.ts';
import { geminiUpstream } from './gemini/upstream.ts';
import { hunyuanUpstream } from './hunyuan/upstream.ts';
import { libraryUpstream } from './library/upstream.ts';
import { ollamaUpstream } from './ollama/upstream.ts';
import { openaiChatClient } from './openai-chat/client.ts';
import { openaiCompletionsClient } from './openai-chat/completions/client.ts';
import { openaiChatUpstream } from './openai-chat/upstream.ts';
import { mixedClient } from './openai-mixed/client.ts';
import { perplexityAgentUpstream } from './openai-responses/agent/upstream.ts';
import { openaiResponsesClient } from './openai-responses/client.ts';
import { openaiResponsesUpstream } from './openai-responses/upstream.ts';
import { palmUpstream } from './palm/upstream.ts';
import { replicateUpstream } from './replicate/upstream.ts';
import { sparkUpstream } from './spark/upstream.ts';
import type { UpstreamDialect } from './upstream-dialect.ts';

export const clientDialects = {
  'openai-chat': openaiChatClient,
  claude: claudeClient,
  'openai-responses': openaiResponsesClient,
  gemini: geminiClient,
  'gemini-interactions': geminiInteractionsClient,
  'openai-completions': openaiCompletionsClient,
  'openai-mixed': mixedClient({ chat: openaiChatClient, responses: openaiResponsesClient }),
} satisfies Record<string, ClientDialect>;

export const upstreamDialects = {
  'openai-chat': openaiChatUpstream,
  claude: claudeUpstream,
  'openai-responses': openaiResponsesUpstream,
  gemini: geminiUpstream,
  converse: converseUpstream,
  ollama: ollamaUpstream,
  cohere: cohereUpstream,
  ernie: ernieUpstream,
  hunyuan: hunyuanUpstream,
  dify: difyUpstream,
  coze: cozeUpstream,
  replicate: replicateUpstream,
  palm: palmUpstream,
  spark: sparkUpstream,
  library: libraryUpstream,
  'perplexity-agent': perplexityAgentUpstream,
} satisfies Record<string, UpstreamDialect>;

export type UpstreamDialectName = keyof typeof upstreamDialects;

/** Format of OpenAI's calls that are no conversation, such as embeddings. */
export const openaiDialect: ClientDialect = clientDialects['openai-chat'];

/** Format of the gateway's own calls. */
export const defaultClientDialect: ClientDialect = openaiDialect;
