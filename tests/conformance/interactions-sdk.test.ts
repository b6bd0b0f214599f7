// Interactions by the official client of Gemini against a running server, before upstreams of every format.
import { GoogleGenAI, type Interactions } from '@google/genai';
import { describe, expect, test } from 'vitest';
import { signatureOf } from '#tests/support/claude-responses.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import { encryptedOf } from '#tests/support/openai-responses.ts';
import { createScene, type RelayScene, type SceneOptions } from '#tests/support/relay-scene.ts';
import { allCases, channelOf, describeSharedCases, model } from './shared-cases.ts';

const input = 'When is high water in Brest?';
const tools: Interactions.Tool[] = [
  {
    type: 'function',
    name: 'get_tide',
    description: 'Time of high water',
    parameters: { type: 'object', properties: { port: { type: 'string' } }, required: ['port'] },
  },
];

type Requested = Omit<Interactions.CreateModelInteractionParamsNonStreaming, 'model' | 'stream'>;

/** What a whole interaction or all events of a stream say, as one. */
interface Read {
  id: string;
  steps: Interactions.Step[];
  text: string;
  status: string;
  usage: Interactions.Usage | undefined;
}

function clientOf({ app, key }: RelayScene, apiKey = key) {
  return new GoogleGenAI({ apiKey, httpOptions: { baseUrl: app.origin } }).interactions;
}

const once = { maxRetries: 0 };

async function ask(scene: RelayScene, requested: Requested, stream = false): Promise<Read> {
  const interactions = clientOf(scene);
  if (!stream) {
    const { id, steps, output_text: text = '', status, usage } = await interactions.create({ model, ...requested }, once);
    return { id, steps, text, status, usage };
  }
  const events = await Array.fromAsync(await interactions.create({ model, ...requested, stream: true }, once));
  const read = readEvents(events);
  return { ...read, text: read.steps.map((step) => textOf(step)).join('') };
}

function textOf(step: Interactions.Step): string {
  if (step.type !== 'model_output') return '';
  return (step.content ?? []).map((content) => (content.type === 'text' ? content.text : '')).join('');
}

/** As a client puts a stream together. */
function readEvents(events: Interactions.InteractionSSEEvent[]): Omit<Read, 'text'> {
  const ids = events.map(({ event_id: id }) => id);
  expect(new Set(ids).size).toBe(events.length);
  expect(events[0]?.event_type).toBe('interaction.created');
  const last = events.at(-1);
  if (last?.event_type !== 'interaction.completed') throw new Error('The stream has no end');
  const steps: Record<string, unknown>[] = [];
  const args = new Map<number, string>();
  for (const event of events) {
    if (event.event_type === 'step.start') steps[event.index] = { ...event.step };
    if (event.event_type === 'step.stop' && args.has(event.index))
      Object.assign(steps[event.index] ?? {}, { arguments: JSON.parse(args.get(event.index) ?? '') });
    if (event.event_type !== 'step.delta') continue;
    const { index, delta } = event;
    const step = steps[index] ?? {};
    if (delta.type === 'text') step.content = [{ type: 'text', text: `${textOf(step as never)}${delta.text}` }];
    if (delta.type === 'arguments_delta') args.set(index, `${args.get(index) ?? ''}${delta.arguments ?? ''}`);
    if (delta.type === 'thought_signature') step.signature = delta.signature;
    if (delta.type === 'thought_summary') step.summary = [...((step.summary as unknown[] | undefined) ?? []), delta.content];
  }
  const { id, status, usage, steps: reported = [] } = last.interaction;
  expect(reported.map(({ type }) => type)).toEqual(steps.map(({ type }) => type));
  return { id, steps: steps as unknown as Interactions.Step[], status, usage };
}

const callsOf = (steps: Interactions.Step[]) => steps.flatMap((step) => (step.type === 'function_call' ? [step] : []));

/** Sends results of all calls. */
function resultsOf(steps: Interactions.Step[]): Interactions.Step[] {
  return callsOf(steps).map(({ id, name }) => ({ type: 'function_result', call_id: id, name, result: 'noon' }));
}

const question: Interactions.Step = { type: 'user_input', content: [{ type: 'text', text: input }] };

describeSharedCases({
  name: 'Google, by Interactions',
  errors: {
    APIError: Error,
    AuthenticationError: Error,
    NotFoundError: Error,
    BadRequestError: Error,
    UnprocessableEntityError: Error,
    RateLimitError: Error,
    InternalServerError: Error,
  },
  badLimit: { message: expect.stringContaining('generation_config.max_output_tokens') },
  clientOf(scene, { apiKey } = {}) {
    const interactions = clientOf(scene, apiKey);
    return {
      async ask({ max_tokens, model: other = model } = {}) {
        const generation_config = max_tokens === undefined ? {} : { max_output_tokens: max_tokens };
        const response = await interactions.create({ model: other, input, generation_config }, once);
        return { text: response.output_text ?? '', isCut: response.status === 'incomplete' };
      },
      async stream() {
        return (await ask(scene, { input }, true)).text;
      },
      async abortAfter(characters) {
        const events = await interactions.create({ model, input, stream: true }, once);
        let received = 0;
        for await (const event of events) {
          if (event.event_type === 'step.delta' && event.delta.type === 'text') received += event.delta.text.length;
          if (received >= characters) break;
        }
      },
      async callTools(stream) {
        const first = await ask(scene, { input, tools, store: false }, stream);
        expect(first.status).toBe('requires_action');
        const second = await ask(scene, { input: [question, ...first.steps, ...resultsOf(first.steps)], tools, store: false }, stream);
        expect(second.status).toBe('completed');
        return { calledWith: callsOf(first.steps).map(({ arguments: args }) => args), text: second.text };
      },
    };
  },
});

describe.each(allCases)('Interactions by the package of Google on $kind, before $format', ({ engine, type, setting, format }) => {
  const open = (options: SceneOptions = {}) =>
    createScene(engine, { settings: { SelfUseModeEnabled: 'true' }, channels: [{ ...channelOf(type), setting }], ...options });

  test.each([false, true])('gets a response, with its usage as the log has it (stream: %s)', async (stream) => {
    await using scene = await open();
    scene.upstream.behave({ text: 'Springs come at new and full moon. 大潮 🌊', bytesPerWrite: 13 });
    const requested = { input, system_instruction: 'Be brief.', generation_config: { temperature: 0.5 } };
    const { text, status, usage } = await ask(scene, requested, stream);
    expect({ text, status }).toEqual({ text: 'Springs come at new and full moon. 大潮 🌊', status: 'completed' });
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({
      model_name: model,
      is_stream: stream,
      prompt_tokens: usage?.total_input_tokens,
      completion_tokens: usage?.total_output_tokens,
    });
    expect(usage?.total_tokens).toBe((usage?.total_input_tokens ?? 0) + (usage?.total_output_tokens ?? 0));
    expect(JSON.stringify(scene.upstream.requests[0]?.body)).toContain('Be brief.');
    expect(JSON.stringify(scene.upstream.requests)).not.toContain(scene.key);
    await scene.checkBooks();
  });

  test('thinks first, and its thoughts come back signed to who thought them', async () => {
    // Only to its models that think OpenAI sends thoughts back.
    const mapping = format === 'Responses' ? { model_mapping: JSON.stringify({ [model]: 'gpt-5.5' }) } : {};
    await using scene = await open({ channels: [{ ...channelOf(type), setting, ...mapping }] });
    scene.upstream.behave({
      reasoning: 'The moon is full.',
      toolCalls: [{ name: 'get_tide', arguments: '{"port":"Brest"}' }],
      text: 'At noon.',
    });
    const generation_config = { thinking_level: 'high', thinking_summaries: 'auto' };
    for (const stream of [false, true]) {
      const first = await ask(scene, { input, tools, generation_config, store: false }, stream);
      const thoughts = first.steps.flatMap((step) => (step.type === 'thought' ? (step.summary ?? []) : []));
      expect(thoughts.map((content) => (content.type === 'text' ? content.text : '')).join('')).toBe('The moon is full.');
      const conversation = [question, ...first.steps, ...resultsOf(first.steps)];
      // The fake upstream takes back no thoughts but its own.
      const second = await ask(scene, { input: conversation, tools, generation_config, store: false }, stream);
      expect(second.text).toBe('At noon.');
      const sent = JSON.stringify(scene.upstream.requests.at(-1)?.body);
      if (format === 'Claude') expect(sent).toContain(signatureOf('The moon is full.'));
      if (format === 'Responses') expect(sent).toContain(encryptedOf('The moon is full.'));
    }
    await scene.checkBooks();
  });

  test.each([
    { choice: 'auto', wanted: { OpenAI: 'auto', Claude: { type: 'auto' }, Responses: 'auto', Gemini: 'AUTO' } },
    { choice: 'none', wanted: { OpenAI: 'none', Claude: { type: 'none' }, Responses: 'none', Gemini: 'NONE' } },
    { choice: 'any', wanted: { OpenAI: 'required', Claude: { type: 'any' }, Responses: 'required', Gemini: 'ANY' } },
  ])('chooses among tools: $choice', async ({ choice, wanted }) => {
    await using scene = await open();
    await ask(scene, { input, tools, generation_config: { tool_choice: choice } });
    const body = scene.upstream.requests[0]?.body;
    if (format === 'Gemini') expect(body).toMatchObject({ toolConfig: { functionCallingConfig: { mode: wanted.Gemini } } });
    else expect(body).toMatchObject({ tool_choice: { ...wanted }[format as 'OpenAI'] });
  });

  test('of several tools some may be called: the prompt stays where the format can say so', async () => {
    await using scene = await open();
    const others: Interactions.Tool[] = ['get_wind', 'sink_ship'].map((name) => ({ type: 'function', name }));
    const allowed = ['get_tide', 'get_wind'];
    await ask(scene, {
      input,
      tools: [...tools, ...others],
      generation_config: { tool_choice: { allowed_tools: { mode: 'any', tools: allowed } } },
    });
    const body = scene.upstream.requests[0]?.body;
    const wanted = {
      OpenAI: { tool_choice: 'required' },
      Claude: { tool_choice: { type: 'any' } },
      Gemini: { toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: allowed } } },
      Responses: {
        tool_choice: { type: 'allowed_tools', mode: 'required', tools: allowed.map((name) => ({ type: 'function', name })) },
      },
    };
    expect(body).toMatchObject({ ...wanted }[format as 'OpenAI']);
    expect(JSON.stringify(body).includes('sink_ship')).toBe(format === 'Gemini' || format === 'Responses');
  });

  test('sends pictures, documents, stops, limits and a schema', async () => {
    await using scene = await open();
    scene.upstream.behave({ text: '{"height":4}' });
    const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk';
    const document = Buffer.from('%PDF-1.4 tides').toString('base64');
    const schema = { type: 'object', properties: { height: { type: 'number' } }, required: ['height'] };
    const stop = format === 'Responses' ? {} : { stop_sequences: ['END'] };
    const { text } = await ask(scene, {
      input: [
        { type: 'image', mime_type: 'image/png', data },
        { type: 'document', mime_type: 'application/pdf', data: document },
        { type: 'text', text: 'How high is this?' },
      ],
      response_format: { type: 'text', mime_type: 'application/json', schema },
      generation_config: { max_output_tokens: 100, ...stop },
    });
    expect(text).toBe('{"height":4}');
    const sent = JSON.stringify(scene.upstream.requests[0]?.body);
    for (const part of [data, document, '"height"', '100', ...(format === 'Responses' ? [] : ['END'])]) expect(sent).toContain(part);
  });

  test('tells every error with its status', async () => {
    await using scene = await open();
    for (const [status, reported] of [
      [400, 400],
      [429, 429],
      [500, 500],
      [503, 503],
    ]) {
      for (const stream of [false, true]) {
        scene.upstream.queue({ status: status ?? 0, retryAfter: '7' });
        expect(await failureOf(ask(scene, { input }, stream))).toMatchObject({ statusCode: reported });
      }
    }
    await scene.checkBooks();
  });

  test('an agent is refused', async () => {
    await using scene = await open();
    const agent = 'deep-research-preview-04-2026';
    const failure = await failureOf(clientOf(scene).create({ agent, input, background: true }, once));
    expect(failure).toMatchObject({ message: expect.stringContaining('agent') });
    expect(scene.upstream.requests).toEqual([]);
  });
});
