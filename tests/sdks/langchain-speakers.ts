// LangChain's packages for three vendors.
import { ChatAnthropic } from '@langchain/anthropic';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { type AIMessage, AIMessageChunk, type BaseMessage, HumanMessage, SystemMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatGoogleGenerativeAI } from '@langchain/google-genai';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';
import { model as claude } from './open-scene.ts';
import { type Ask, question, type Reported, type Speaker } from './speaker.ts';

interface Made {
  origin: string;
  key: string;
  model: string;
  limit: number | undefined;
  thinks: boolean;
}

type Fields = Pick<Speaker, 'name' | 'caller' | 'model' | 'lacks' | 'finishes'> & { make(made: Made): BaseChatModel; forced: unknown };

function speaker({ make, forced, ...fields }: Fields): Speaker {
  const chatOf = (origin: string, key: string, ask: Ask) =>
    make({ origin, key: ask.key ?? key, model: ask.model ?? fields.model, limit: ask.limit, thinks: ask.thinks ?? false });
  const optionsOf = ({ stop, signal }: Ask) => ({ ...(stop === undefined ? {} : { stop }), ...(signal === undefined ? {} : { signal }) });
  return {
    ...fields,
    async ask(origin, key, ask) {
      return reportedOf((await chatOf(origin, key, ask).invoke(messagesOf(ask), optionsOf(ask))) as AIMessage);
    },
    async stream(origin, key, ask, onPiece = () => {}) {
      let all: AIMessageChunk | undefined;
      for await (const chunk of await chatOf(origin, key, ask).stream(messagesOf(ask), optionsOf(ask))) {
        onPiece(chunk.text);
        all = all === undefined ? (chunk as AIMessageChunk) : all.concat(chunk as AIMessageChunk);
      }
      if (all === undefined) throw new Error('Nothing came');
      return reportedOf(all);
    },
    async callTools(origin, key, { stream, choice = 'auto', thinks = false }) {
      const ports: string[] = [];
      const getTide = tool(({ port }: { port: string }) => (ports.push(port), 'noon'), {
        name: 'get_tide',
        description: 'Time of high water',
        schema: z.object({ port: z.string() }),
      });
      const chat = chatOf(origin, key, { thinks });
      const tool_choice = choice === 'forced' ? forced : choice;
      const bound = chat.bindTools?.([getTide], choice === 'auto' ? {} : ({ tool_choice } as object));
      if (bound === undefined) throw new Error('It has no tools');
      const messages: BaseMessage[] = [new HumanMessage(question)];
      for (let round = 0; round < 5; round += 1) {
        const said = stream ? await joined(await bound.stream(messages)) : ((await bound.invoke(messages)) as AIMessage);
        messages.push(said);
        const calls = said.tool_calls ?? [];
        for (const call of calls) messages.push(await getTide.invoke({ ...call, type: 'tool_call' }));
        if (calls.length === 0 || choice === 'forced') return { ports, text: said.text };
      }
      throw new Error('It calls on and on');
    },
    async object(origin, key) {
      const schema = z.object({ port: z.string(), hour: z.number() });
      return chatOf(origin, key, {}).withStructuredOutput(schema, { method: 'jsonSchema' }).invoke(question);
    },
    statusOf(failure) {
      const { status, code } = failure as { status?: number; code?: number };
      return status ?? code;
    },
  };
}

async function joined(stream: AsyncIterable<unknown>): Promise<AIMessageChunk> {
  let all = new AIMessageChunk('');
  for await (const chunk of stream) all = all.concat(chunk as AIMessageChunk);
  return all;
}

function messagesOf({ system, prompt = question, image, file }: Ask): BaseMessage[] {
  const content = [
    { type: 'text', text: prompt },
    ...(image === undefined ? [] : [{ type: 'image', mimeType: 'image/png', data: image }]),
    ...(file === undefined ? [] : [{ type: 'file', mimeType: 'application/pdf', data: file, metadata: { filename: 'tides.pdf' } }]),
  ];
  const requested = new HumanMessage({ contentBlocks: content as never });
  return [...(system === undefined ? [] : [new SystemMessage(system)]), requested];
}

function reportedOf(message: AIMessage | AIMessageChunk): Reported {
  const { usage_metadata: usage, response_metadata: meta } = message as AIMessage;
  const finish = meta['finish_reason'] ?? meta['finishReason'] ?? meta['stop_reason'] ?? message.additional_kwargs['stop_reason'];
  const incomplete = (meta['incomplete_details'] as { reason?: string } | null | undefined)?.reason;
  const reasoning = message.contentBlocks.flatMap((block) => (block.type === 'reasoning' ? [String(block.reasoning)] : []));
  return {
    text: message.text,
    finish: (finish as string | undefined) ?? incomplete ?? (meta['status'] as string | undefined),
    reasoning: reasoning.join(''),
    input: usage?.input_tokens,
    output: usage?.output_tokens,
  };
}

export const langchainSpeakers: readonly Speaker[] = [
  speaker({
    name: '@langchain/openai for chat',
    caller: 'openai-chat',
    model: 'gpt-5-mini',
    // It exposes no thoughts of chat, and accepts no stop sequences for reasoning models.
    lacks: ['reasoning', 'stop'],
    finishes: { stop: 'stop', length: 'length' },
    forced: 'get_tide',
    make: ({ origin, key, model, limit }) =>
      new ChatOpenAI({
        model,
        apiKey: key,
        configuration: { baseURL: `${origin}/v1` },
        maxRetries: 0,
        streamUsage: true,
        maxTokens: limit,
      }),
  }),
  speaker({
    name: '@langchain/openai for Responses',
    caller: 'openai-responses',
    model: 'gpt-5-mini',
    // It leaves `none` out, takes a stream that ends with an error for a whole one, and sends back no thoughts that were streamed.
    lacks: ['stop', 'none', 'breaks', 'streamed thoughts'],
    finishes: { stop: 'completed', length: 'max_output_tokens' },
    forced: 'get_tide',
    make: ({ origin, key, model, limit, thinks }) =>
      new ChatOpenAI({
        model,
        apiKey: key,
        configuration: { baseURL: `${origin}/v1` },
        maxRetries: 0,
        useResponsesApi: true,
        maxTokens: limit,
        ...(thinks ? { reasoning: { effort: 'high', summary: 'auto' }, zdrEnabled: true } : {}),
      }),
  }),
  speaker({
    name: '@langchain/anthropic',
    caller: 'claude',
    model: claude,
    // It adds up the usage reports at the beginning and the end of a stream.
    lacks: ['streamed usage'],
    finishes: { stop: 'end_turn', length: 'max_tokens' },
    forced: { type: 'tool', name: 'get_tide' },
    make: ({ origin, key, model, limit, thinks }) =>
      new ChatAnthropic({
        model,
        apiKey: key,
        anthropicApiUrl: origin,
        maxRetries: 0,
        maxTokens: limit ?? 4000,
        ...(thinks ? { thinking: { type: 'enabled' as const, budget_tokens: 1024 } } : {}),
      }),
  }),
  speaker({
    name: '@langchain/google-genai',
    caller: 'gemini',
    model: 'gemini-3-flash-preview',
    // It exposes no thoughts, accepts no stop sequences with a call, takes an interrupted stream for a complete one, and adds up the usage reports of
    // a stream. Of several calls each result is a separate turn, which Google answers with 400: it gets them as one.
    lacks: ['reasoning', 'stop', 'breaks', 'streamed usage'],
    finishes: { stop: 'STOP', length: 'MAX_TOKENS' },
    forced: 'get_tide',
    make: ({ origin, key, model, limit, thinks }) =>
      new ChatGoogleGenerativeAI({
        model,
        apiKey: key,
        baseUrl: origin,
        maxRetries: 0,
        maxOutputTokens: limit,
        ...(thinks ? { thinkingConfig: { includeThoughts: true, thinkingBudget: 1024 } } : {}),
      }),
  }),
];
