// Official packages that call models of today by their own names, whole and streamed: tools, forced tools, thoughts and schemas. What goes up is
// what the model takes, and what its caller reads is the same before each of them.
import Anthropic from '@anthropic-ai/sdk';
import { FunctionCallingConfigMode, GoogleGenAI, ThinkingLevel } from '@google/genai';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { factsOf } from '#server/model-facts/find-facts.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';

const port = { type: 'object' as const, properties: { port: { type: 'string' } }, required: ['port'], additionalProperties: false };
const noon = { type: 'object' as const, properties: { noon: { type: 'boolean' } }, required: ['noon'], additionalProperties: false };
const question = 'When is high water in Brest?';

type Wish = 'plain' | 'thinking' | 'schema' | 'tools' | 'forced';

interface Read {
  text: string;
  calls: unknown[];
}

interface Requested {
  model: string;
  wish: Wish;
  stream: boolean;
}

const has = (wish: Wish, ...wishes: readonly Wish[]) => wishes.includes(wish);

const packages: Record<string, (scene: RelayScene, requested: Requested) => Promise<Read>> = {
  async 'OpenAI, chat'(scene, { model, wish, stream }) {
    const { chat } = new OpenAI({ baseURL: `${scene.app.origin}/v1`, apiKey: scene.key, maxRetries: 0 });
    const body: OpenAI.ChatCompletionCreateParamsNonStreaming = {
      model,
      max_tokens: 4000,
      temperature: 0.5,
      messages: [{ role: 'user', content: question }],
      ...(has(wish, 'thinking') ? { reasoning_effort: 'high' } : {}),
      ...(has(wish, 'tools', 'forced') ? { tools: [{ type: 'function', function: { name: 'get_tide', parameters: port } }] } : {}),
      ...(has(wish, 'forced') ? { tool_choice: { type: 'function', function: { name: 'get_tide' } } } : {}),
      ...(has(wish, 'schema')
        ? { response_format: { type: 'json_schema', json_schema: { name: 'tide', strict: true, schema: noon } } }
        : {}),
    };
    const reported = stream
      ? await chat.completions.stream({ ...body, stream: true }).finalChatCompletion()
      : await chat.completions.create(body);
    const message = reported.choices[0]?.message;
    const calls = message?.tool_calls ?? [];
    return {
      text: message?.content ?? '',
      calls: calls.map((call) => (call.type === 'function' ? JSON.parse(call.function.arguments) : null)),
    };
  },
  async 'OpenAI, Responses'(scene, { model, wish, stream }) {
    const { responses } = new OpenAI({ baseURL: `${scene.app.origin}/v1`, apiKey: scene.key, maxRetries: 0 });
    const body: OpenAI.Responses.ResponseCreateParamsNonStreaming = {
      model,
      max_output_tokens: 4000,
      input: question,
      ...(has(wish, 'thinking') ? { reasoning: { effort: 'high', summary: 'auto' } } : {}),
      ...(has(wish, 'tools', 'forced') ? { tools: [{ type: 'function', name: 'get_tide', parameters: port, strict: true }] } : {}),
      ...(has(wish, 'forced') ? { tool_choice: { type: 'function', name: 'get_tide' } } : {}),
      ...(has(wish, 'schema') ? { text: { format: { type: 'json_schema', name: 'tide', strict: true, schema: noon } } } : {}),
    };
    const reported = stream ? await responses.stream({ ...body, stream: true }).finalResponse() : await responses.create(body);
    const calls = reported.output.flatMap((item) => (item.type === 'function_call' ? [JSON.parse(item.arguments)] : []));
    return { text: reported.output_text, calls };
  },
  async Anthropic(scene, { model, wish, stream }) {
    const { messages } = new Anthropic({ baseURL: scene.app.origin, apiKey: scene.key, maxRetries: 0 });
    const body: Anthropic.MessageCreateParamsNonStreaming = {
      model,
      max_tokens: 4000,
      messages: [{ role: 'user', content: question }],
      ...(has(wish, 'thinking') ? { thinking: { type: 'enabled', budget_tokens: 2000 } } : {}),
      ...(has(wish, 'tools', 'forced') ? { tools: [{ name: 'get_tide', input_schema: port }] } : {}),
      ...(has(wish, 'forced') ? { tool_choice: { type: 'tool', name: 'get_tide' } } : {}),
      ...(has(wish, 'schema') ? { output_config: { format: { type: 'json_schema', schema: noon } } } : {}),
    };
    const { content } = stream ? await messages.stream(body).finalMessage() : await messages.create(body);
    return {
      text: content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join(''),
      calls: content.flatMap((block) => (block.type === 'tool_use' ? [block.input] : [])),
    };
  },
  async Google(scene, { model, wish, stream }) {
    const { models } = new GoogleGenAI({ apiKey: scene.key, httpOptions: { baseUrl: scene.app.origin } });
    const forced = { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ['get_tide'] } };
    const requested = {
      model,
      contents: question,
      config: {
        maxOutputTokens: 4000,
        temperature: 0.5,
        ...(has(wish, 'thinking') ? { thinkingConfig: { thinkingLevel: ThinkingLevel.HIGH, includeThoughts: true } } : {}),
        ...(has(wish, 'tools', 'forced') ? { tools: [{ functionDeclarations: [{ name: 'get_tide', parametersJsonSchema: port }] }] } : {}),
        ...(has(wish, 'forced') ? { toolConfig: forced } : {}),
        ...(has(wish, 'schema') ? { responseMimeType: 'application/json', responseJsonSchema: noon } : {}),
      },
    };
    const reported = stream
      ? await Array.fromAsync(await models.generateContentStream(requested))
      : [await models.generateContent(requested)];
    const parts = reported.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
    return {
      text: parts.flatMap(({ text = '', thought }) => (thought === true ? [] : [text])).join(''),
      calls: parts.flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall.args])),
    };
  },
};

const models = [
  // Behind another address than the vendor's both formats have to be named.
  { model: 'gpt-6.1-sol', type: 1, setting: JSON.stringify({ formats: ['openai-chat', 'openai-responses'] }) },
  { model: 'gpt-6-luna', type: 1, setting: JSON.stringify({ formats: ['openai-chat', 'openai-responses'] }) },
  { model: 'claude-opus-5-5', type: 14, setting: '' },
  { model: 'claude-haiku-5-5', type: 14, setting: '' },
  { model: 'gemini-3.8-flash', type: 24, setting: '' },
];
const cases = oneEngine
  .slice(0, 1)
  .flatMap((engine) => models.flatMap((one) => Object.keys(packages).map((name) => ({ engine, kind: engine.kind, name, ...one }))));

describe.each(cases)('the package of $name asks $model, on $kind', ({ engine, name, model, type, setting }) => {
  test.each([false, true])('for text, thoughts, a schema and calls of tools (stream: %s)', async (stream) => {
    await using scene = await createScene(engine, {
      settings: { SelfUseModeEnabled: 'true' },
      channels: [{ type, setting, models: model }],
    });
    const ask = packages[name];
    if (ask === undefined) throw new Error(`No package is called ${name}`);
    for (const wish of ['plain', 'thinking', 'schema', 'tools', 'forced'] as const) {
      const isCall = has(wish, 'tools', 'forced');
      const text = wish === 'schema' ? '{"noon":true}' : 'At noon.';
      scene.upstream.queue(
        isCall
          ? { toolCalls: [{ name: 'get_tide', arguments: '{"port":"Brest"}' }] }
          : { text, ...(wish === 'thinking' ? { reasoning: 'Tides.' } : {}) },
      );
      const read = await ask(scene, { model, wish, stream });
      expect(read, wish).toEqual(isCall ? { text: '', calls: [{ port: 'Brest' }] } : { text, calls: [] });
      const { body } = scene.upstream.requests.at(-1) ?? {};
      expect(refusedIn(model, Object(body)), wish).toEqual([]);
    }
    await scene.logs(5);
    await scene.checkBooks();
  });
});

/** What of a request the vendor of the model answers with an error. */
function refusedIn(model: string, body: Record<string, unknown>): string[] {
  const facts = factsOf(model);
  const { generationConfig: config, tool_choice: choice, thinking } = body;
  const refused: string[] = [];
  const named: unknown = facts?.vendor === 'google' ? undefined : body['model'];
  if (named !== undefined && named !== model) refused.push('the name');
  if (facts?.sampling !== 'taken') {
    for (const field of ['temperature', 'top_p', 'top_k']) if (field in body || field in Object(config)) refused.push(field);
  }
  if (facts?.vendor === 'openai' && 'max_tokens' in body) refused.push('max_tokens');
  if (facts?.takesForcedTools === false && ['any', 'tool'].includes(String(Object(choice).type))) refused.push('tool_choice');
  if (facts?.thinking?.isAlwaysOn === true && Object(thinking).type === 'disabled') refused.push('thinking');
  if (facts?.vendor === 'anthropic' && facts.thinking?.budget === undefined && 'budget_tokens' in Object(thinking))
    refused.push('a budget');
  if (facts?.isToolsByResponses === true && 'messages' in body && 'tools' in body) refused.push('functions in chat');
  return refused;
}
