// OpenAI's package for agents, over chat and over Responses.
import OpenAI from 'openai';
import { Agent, type AgentInputItem, OpenAIProvider, Runner, tool } from '@openai/agents';
import { z } from 'zod';
import { type Ask, question, type Speaker } from './speaker.ts';

function speaker(name: string, caller: string, useResponses: boolean): Speaker {
  const model = 'gpt-5-mini';
  const runnerOf = (origin: string, key: string) => {
    const openAIClient = new OpenAI({ apiKey: key, baseURL: `${origin}/v1`, maxRetries: 0 });
    return new Runner({ modelProvider: new OpenAIProvider({ openAIClient, useResponses }), tracingDisabled: true });
  };
  const agentOf = ({ system, limit, thinks = false, model: other }: Ask) =>
    new Agent({
      name: 'Harbour master',
      instructions: system ?? 'Answer.',
      model: other ?? model,
      modelSettings: {
        retry: { maxRetries: 0 },
        ...(limit === undefined ? {} : { maxTokens: limit }),
        ...(thinks
          ? {
              reasoning: { effort: 'high' as const, summary: 'auto' as const },
              store: false,
              providerData: { include: ['reasoning.encrypted_content'] },
            }
          : {}),
      },
    });
  return {
    name,
    caller,
    model,
    // A response that is cut is an error to it.
    lacks: useResponses ? ['stop', 'finish', 'limit'] : ['stop', 'finish', 'reasoning'],
    finishes: { stop: '', length: '' },
    async ask(origin, key, ask) {
      return reportedOf(
        await runnerOf(origin, ask.key ?? key).run(agentOf(ask), inputOf(ask), ask.signal === undefined ? {} : { signal: ask.signal }),
      );
    },
    async stream(origin, key, ask, onPiece = () => {}) {
      const requested = { stream: true as const, ...(ask.signal === undefined ? {} : { signal: ask.signal }) };
      const result = await runnerOf(origin, key).run(agentOf(ask), inputOf(ask), requested);
      for await (const event of result) {
        if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta') onPiece(event.data.delta);
      }
      await result.completed;
      return reportedOf(result);
    },
    async callTools(origin, key, { stream, choice = 'auto', thinks = false }) {
      const ports: string[] = [];
      const getTide = tool({
        name: 'get_tide',
        description: 'Time of high water',
        parameters: z.object({ port: z.string() }),
        execute: ({ port }) => (ports.push(port), 'noon'),
      });
      const agent = agentOf({ thinks });
      const settings = { ...agent.modelSettings, parallelToolCalls: true, toolChoice: choice === 'forced' ? 'get_tide' : choice };
      const toolUseBehavior = choice === 'forced' ? ('stop_on_first_tool' as const) : ('run_llm_again' as const);
      const withTools = agent.clone({ tools: [getTide], modelSettings: settings, toolUseBehavior });
      const runner = runnerOf(origin, key);
      if (!stream) return { ports, text: String((await runner.run(withTools, question)).finalOutput) };
      const result = await runner.run(withTools, question, { stream: true });
      await result.completed;
      return { ports, text: String(result.finalOutput) };
    },
    async object(origin, key) {
      const agent = agentOf({}).clone({ outputType: z.object({ port: z.string(), hour: z.number() }) });
      return (await runnerOf(origin, key).run(agent, question)).finalOutput;
    },
    statusOf: (failure) => (failure as { status?: number }).status,
  };
}

function inputOf({ prompt = question, image, file }: Ask): AgentInputItem[] {
  const content = [
    { type: 'input_text' as const, text: prompt },
    ...(image === undefined ? [] : [{ type: 'input_image' as const, image: `data:image/png;base64,${image}` }]),
    ...(file === undefined ? [] : [{ type: 'input_file' as const, file: `data:application/pdf;base64,${file}`, filename: 'tides.pdf' }]),
  ];
  return [{ role: 'user', content }];
}

interface Result {
  finalOutput?: unknown;
  newItems: readonly { rawItem?: unknown }[];
  rawResponses: readonly { usage: { inputTokens: number; outputTokens: number } }[];
}

function reportedOf({ finalOutput, newItems, rawResponses }: Result) {
  const usage = rawResponses.at(-1)?.usage;
  const thoughts = newItems.flatMap(({ rawItem }) => {
    const { type, content = [] } = (rawItem ?? {}) as { type?: string; content?: { text?: string }[] };
    return type === 'reasoning' ? content.map(({ text = '' }) => text) : [];
  });
  return {
    text: String(finalOutput),
    finish: undefined,
    reasoning: thoughts.join(''),
    input: usage?.inputTokens,
    output: usage?.outputTokens,
  };
}

export const agentsSpeakers: readonly Speaker[] = [
  speaker('@openai/agents over chat', 'openai-chat', false),
  speaker('@openai/agents over Responses', 'openai-responses', true),
];
