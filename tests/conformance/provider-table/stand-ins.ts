// The stand-in of every provider type, and the models that it has: with its own form where there is one, else by what is known of it.
import type { UpstreamDialectName } from '#server/formats/registry.ts';
import { startFakeBaidu } from '#tests/support/fake-baidu.ts';
import { startFakeBedrock } from '#tests/support/fake-bedrock.ts';
import { startFakeCodex } from '#tests/support/fake-codex.ts';
import { startFakeCohere } from '#tests/support/fake-cohere.ts';
import { startFakeCoze } from '#tests/support/fake-coze.ts';
import { startFakeDify } from '#tests/support/fake-dify.ts';
import { startFakeLibrary } from '#tests/support/fake-library.ts';
import { startFakeOllama } from '#tests/support/fake-ollama.ts';
import { startFakePerplexity } from '#tests/support/fake-perplexity.ts';
import { startFakePalm } from '#tests/support/fake-palm.ts';
import { drawing, startFakeReplicate } from '#tests/support/fake-replicate.ts';
import { startFakeSpark } from '#tests/support/fake-spark.ts';
import { startFakeTencent } from '#tests/support/fake-tencent.ts';
import { startFakeVertex } from '#tests/support/fake-vertex.ts';
import type { ProviderFront } from '#tests/support/provider-front.ts';
import { modelOf, pathsOf } from './facts.ts';
import { startPlain } from './plain-front.ts';

export interface StandIn {
  front(upstreamUrl: string): Promise<ProviderFront>;
  /** By kind of call, where they are others than elsewhere; of conversations by format. */
  models?: Readonly<Record<string, string>>;
  /** Formats of chat, unless `models` distinguishes them. */
  formats?: readonly UpstreamDialectName[];
  /** Kinds of call that it answers itself, without the fake upstream behind it. */
  answers?: readonly string[];
}

const own: Readonly<Record<number, StandIn>> = {
  1: { front: startPlain(1), formats: ['openai-chat', 'openai-responses'] },
  3: { front: startPlain(3), formats: ['openai-chat', 'openai-responses'] },
  4: { front: startFakeOllama, formats: ['openai-chat', 'ollama'], answers: ['embeddings'] },
  11: { front: startFakePalm, formats: ['palm'], models: { chat: 'PaLM-2' } },
  14: { front: startPlain(14), formats: ['claude'] },
  15: { front: startFakeBaidu, formats: ['ernie'], answers: ['embeddings'], models: { chat: 'ERNIE-4.0-8K', embeddings: 'Embedding-V1' } },
  17: { front: startPlain(17), formats: ['openai-chat', 'claude'], models: { completions: 'qwen-coder-turbo' } },
  18: { front: startFakeSpark(), formats: ['openai-chat', 'spark'], models: { chat: 'SparkDesk-v4.0' } },
  21: { front: startFakeLibrary, formats: ['library'], models: { chat: 'gpt-4o-mini' } },
  23: {
    front: (url) => startFakeTencent(url, { failureStatus: 200 }),
    formats: ['hunyuan'],
    answers: ['embeddings'],
    models: { chat: 'hunyuan-turbos-latest', embeddings: 'hunyuan-embedding' },
  },
  24: { front: startPlain(24), formats: ['gemini'], models: { chat: 'gemini-3-flash-preview', embeddings: 'gemini-embedding-001' } },
  25: { front: startPlain(25), formats: ['openai-chat', 'claude'] },
  26: { front: startPlain(26), formats: ['openai-chat', 'claude'] },
  27: {
    front: (url) => startFakePerplexity(url, { isProxy: true }),
    formats: ['openai-chat', 'perplexity-agent'],
    models: { chat: 'sonar-pro' },
  },
  33: {
    front: startFakeBedrock,
    formats: ['claude', 'converse'],
    models: { claude: 'claude-sonnet-4-5', converse: 'us.amazon.nova-pro-v1:0' },
  },
  34: {
    front: startFakeCohere,
    formats: ['cohere'],
    answers: ['embeddings'],
    models: { chat: 'command-a-03-2025', embeddings: 'embed-v4.0', rerank: 'cohere-rerank-v3.0' },
  },
  35: { front: startPlain(35), formats: ['openai-chat', 'claude'] },
  37: { front: startFakeDify, formats: ['dify'], models: { chat: 'tide-bot' } },
  38: { front: startPlain(38), models: { rerank: 'jina-reranker-v2' } },
  40: {
    front: startPlain(40),
    formats: ['openai-chat'],
    models: { rerank: 'siliconflow-reranker' },
  },
  41: {
    front: startFakeVertex,
    formats: ['gemini', 'claude', 'openai-chat'],
    models: { gemini: 'gemini-3-flash-preview', claude: 'claude-sonnet-4-5', 'openai-chat': 'meta/llama-3.3-70b-instruct-maas' },
  },
  43: { front: startPlain(43), formats: ['openai-chat', 'claude'] },
  47: { front: startPlain(47), formats: ['openai-chat'], models: { rerank: 'xinference-reranker' } },
  48: { front: startPlain(48), formats: ['openai-chat'], models: { images: 'grok-2-image' } },
  49: { front: startFakeCoze, formats: ['coze'], models: { chat: '7342866812345' } },
  56: {
    front: startFakeReplicate,
    formats: ['replicate'],
    answers: ['chat', 'images'],
    models: { chat: 'meta/meta-llama-3-8b-instruct', images: drawing },
  },
  57: { front: startFakeCodex, formats: ['openai-responses'], models: { chat: 'gpt-5.6-sol' } },
};

/** Null: nothing stands in for that type. */
export function standInOf(type: number): StandIn | null {
  return own[type] ?? (pathsOf(type).size === 0 ? null : { front: startPlain(type), formats: ['openai-chat'] });
}

/** @param kind a kind of call, or the format of a conversation */
export function upstreamModelOf({ models = {} }: StandIn, kind: string): string {
  return models[kind] ?? (kind in modelOf ? undefined : models['chat']) ?? modelOf[kind] ?? 'test-model';
}
