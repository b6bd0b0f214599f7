// The `ai` package with its three providers.
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import {
  APICallError,
  generateObject,
  generateText,
  type LanguageModel,
  type ModelMessage,
  RetryError,
  stepCountIs,
  streamText,
  tool,
} from 'ai';
import { z } from 'zod';
import { model as claude } from './open-scene.ts';
import { type Ask, type AskTools, question, type Reported, type Speaker } from './speaker.ts';

type Make = (origin: string, key: string, model: string) => LanguageModel;

function speaker(name: string, caller: string, model: string, make: Make, lacks: Speaker['lacks'] = []): Speaker {
  const options = (origin: string, key: string, ask: Ask) => ({
    model: make(origin, ask.key ?? key, ask.model ?? model),
    ...(ask.system === undefined ? {} : { system: ask.system }),
    messages: messagesOf(ask),
    maxRetries: 0,
    ...(ask.limit === undefined ? {} : { maxOutputTokens: ask.limit }),
    ...(ask.stop === undefined ? {} : { stopSequences: ask.stop }),
    ...(ask.signal === undefined ? {} : { abortSignal: ask.signal }),
    ...(ask.thinks === true ? { providerOptions: thinking } : {}),
  });
  return {
    name,
    caller,
    model,
    lacks,
    finishes: { stop: 'stop', length: 'length' },
    async ask(origin, key, ask) {
      return reportedOf(await generateText(options(origin, key, ask)));
    },
    async stream(origin, key, ask, onPiece = () => {}) {
      let failure: unknown;
      const result = streamText({ ...options(origin, key, ask), onError: ({ error }) => void (failure = error) });
      for await (const part of result.fullStream) if (part.type === 'text-delta') onPiece(part.text);
      if (failure !== undefined) throw failure;
      const { inputTokens, outputTokens } = await result.usage;
      const [text, finish, reasoning] = [await result.text, await result.finishReason, await result.reasoningText];
      return { text, finish, reasoning: reasoning ?? '', input: inputTokens, output: outputTokens };
    },
    async callTools(origin, key, { stream, choice = 'auto', thinks = false }: AskTools) {
      const ports: string[] = [];
      const getTide = tool({
        description: 'Time of high water',
        inputSchema: z.object({ port: z.string() }),
        execute: ({ port }) => {
          ports.push(port);
          return 'noon';
        },
      });
      const requested = {
        ...options(origin, key, { thinks }),
        tools: { get_tide: getTide },
        stopWhen: stepCountIs(choice === 'forced' ? 1 : 5),
        toolChoice: choice === 'forced' ? ({ type: 'tool', toolName: 'get_tide' } as const) : choice,
      };
      if (!stream) return { ports, text: (await generateText(requested)).text };
      const result = streamText(requested);
      await result.consumeStream();
      return { ports, text: await result.text };
    },
    async object(origin, key) {
      const schema = z.object({ port: z.string(), hour: z.number() });
      return (await generateObject({ ...options(origin, key, {}), schema })).object;
    },
    statusOf(failure) {
      const cause = RetryError.isInstance(failure) ? failure.lastError : failure;
      return APICallError.isInstance(cause) ? cause.statusCode : undefined;
    },
  };
}

const thinking = {
  openai: { reasoningEffort: 'high', reasoningSummary: 'auto', store: false, include: ['reasoning.encrypted_content'] },
  anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } },
  google: { thinkingConfig: { includeThoughts: true, thinkingLevel: 'high' } },
};

function messagesOf({ prompt = question, image, file }: Ask): ModelMessage[] {
  const content = [
    { type: 'text' as const, text: prompt },
    ...(image === undefined ? [] : [{ type: 'image' as const, image, mediaType: 'image/png' }]),
    ...(file === undefined ? [] : [{ type: 'file' as const, data: file, mediaType: 'application/pdf', filename: 'tides.pdf' }]),
  ];
  return [{ role: 'user', content }];
}

function reportedOf(result: Awaited<ReturnType<typeof generateText>>): Reported {
  const { text, finishReason, reasoningText = '', usage } = result;
  return { text, finish: finishReason, reasoning: reasoningText, input: usage.inputTokens, output: usage.outputTokens };
}

export const aiSpeakers: readonly Speaker[] = [
  // It exposes no thoughts, and accepts no stop sequences for reasoning models.
  speaker(
    'ai, @ai-sdk/openai for chat',
    'openai-chat',
    'gpt-5-mini',
    (origin, apiKey, model) => createOpenAI({ baseURL: `${origin}/v1`, apiKey }).chat(model),
    ['reasoning'],
  ),
  speaker(
    'ai, @ai-sdk/openai for Responses',
    'openai-responses',
    'gpt-5-mini',
    (origin, apiKey, model) => createOpenAI({ baseURL: `${origin}/v1`, apiKey }).responses(model),
    ['stop'],
  ),
  speaker('ai, @ai-sdk/anthropic', 'claude', claude, (origin, apiKey, model) =>
    createAnthropic({ baseURL: `${origin}/v1`, apiKey })(model),
  ),
  speaker('ai, @ai-sdk/google', 'gemini', 'gemini-3-flash-preview', (origin, apiKey, model) =>
    createGoogleGenerativeAI({ baseURL: `${origin}/v1beta`, apiKey })(model),
  ),
];
