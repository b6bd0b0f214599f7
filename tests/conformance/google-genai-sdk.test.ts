// The official client of Gemini against a running server, before upstreams of every format.
import {
  ApiError,
  type Content,
  FinishReason,
  FunctionCallingConfigMode,
  type GenerateContentConfig,
  type GenerateContentResponse,
  GoogleGenAI,
  ThinkingLevel,
} from '@google/genai';
import { describe, expect, test } from 'vitest';
import { signatureOf } from '#tests/support/claude-responses.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import { encryptedOf } from '#tests/support/openai-responses.ts';
import { createScene, type RelayScene, type SceneOptions } from '#tests/support/relay-scene.ts';
import { allCases, channelOf, describeSharedCases, model } from './shared-cases.ts';

const question: Content = { role: 'user', parts: [{ text: 'When is high water in Brest?' }] };
const functionDeclarations = [
  {
    name: 'get_tide',
    description: 'Time of high water',
    parametersJsonSchema: { type: 'object', properties: { port: { type: 'string' } }, required: ['port'] },
  },
];

function clientOf(scene: RelayScene, options: { apiKey?: string; apiVersion?: string } = {}): GoogleGenAI {
  const { apiKey = scene.key, apiVersion } = options;
  return new GoogleGenAI({ apiKey, ...(apiVersion === undefined ? {} : { apiVersion }), httpOptions: { baseUrl: scene.app.origin } });
}

/** What a whole response or all events of a stream say, as one. */
interface Read {
  content: Content;
  text: string;
  finishReason: string | undefined;
  usage: GenerateContentResponse['usageMetadata'];
}

async function ask(
  scene: RelayScene,
  { contents, stream = false, config = {} }: { contents: Content[]; stream?: boolean; config?: GenerateContentConfig },
): Promise<Read> {
  const { models } = clientOf(scene);
  const events = stream
    ? await Array.fromAsync(await models.generateContentStream({ model, contents, config }))
    : [await models.generateContent({ model, contents, config })];
  const parts = events.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
  const last = events.at(-1);
  return {
    content: { role: 'model', parts },
    text: parts.flatMap(({ text = '', thought }) => (thought === true ? [] : [text])).join(''),
    finishReason: last?.candidates?.[0]?.finishReason,
    usage: last?.usageMetadata,
  };
}

/** Sends results of all calls of a turn. */
function resultsOf({ parts = [] }: Content): Content {
  const calls = parts.flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall]));
  return {
    role: 'user',
    parts: calls.map(({ id = '', name = '' }) => ({ functionResponse: { id, name, response: { output: 'noon' } } })),
  };
}

const argsOf = ({ parts = [] }: Content) => parts.flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall.args]));

const errors = {
  APIError: ApiError,
  AuthenticationError: ApiError,
  NotFoundError: ApiError,
  BadRequestError: ApiError,
  UnprocessableEntityError: ApiError,
  RateLimitError: ApiError,
  InternalServerError: ApiError,
};

describeSharedCases({
  name: 'Gemini',
  errors,
  badLimit: { status: 400, message: expect.stringContaining('generationConfig.maxOutputTokens') },
  clientOf(scene, options) {
    const { models } = clientOf(scene, options);
    return {
      async ask({ max_tokens, model: other = model } = {}) {
        const config = max_tokens === undefined ? {} : { maxOutputTokens: max_tokens };
        const response = await models.generateContent({ model: other, contents: [question], config });
        return { text: response.text ?? '', isCut: response.candidates?.[0]?.finishReason === FinishReason.MAX_TOKENS };
      },
      async stream() {
        let text = '';
        for await (const event of await models.generateContentStream({ model, contents: [question] })) text += event.text ?? '';
        return text;
      },
      async abortAfter(characters) {
        const stop = new AbortController();
        const events = await models.generateContentStream({ model, contents: [question], config: { abortSignal: stop.signal } });
        let received = '';
        const reading = (async () => {
          for await (const event of events) {
            received += event.text ?? '';
            if (received.length >= characters) stop.abort();
          }
        })();
        expect(await failureOf(reading)).toMatchObject({ name: 'AbortError' });
      },
      async callTools(stream) {
        const config = { tools: [{ functionDeclarations }] };
        const first = await ask(scene, { contents: [question], stream, config });
        expect(first.finishReason).toBe('STOP');
        const second = await ask(scene, { contents: [question, first.content, resultsOf(first.content)], stream, config });
        expect(second.finishReason).toBe('STOP');
        return { calledWith: argsOf(first.content), text: second.text };
      },
    };
  },
});

describe.each(allCases)('the package of Google on $kind, before $format', ({ engine, type, setting, format }) => {
  const open = (options: SceneOptions = {}) =>
    createScene(engine, { settings: { SelfUseModeEnabled: 'true' }, channels: [{ ...channelOf(type), setting }], ...options });

  test.each([false, true])('gets a response, with its usage as the log has it (stream: %s)', async (stream) => {
    await using scene = await open();
    scene.upstream.behave({ text: 'Springs come at new and full moon. 大潮 🌊', bytesPerWrite: 13 });
    const config = { systemInstruction: 'Be brief.', temperature: 0.5 };
    const { text, finishReason, usage } = await ask(scene, { contents: [question], stream, config });
    expect({ text, finishReason }).toEqual({ text: 'Springs come at new and full moon. 大潮 🌊', finishReason: 'STOP' });
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({
      model_name: model,
      is_stream: stream,
      prompt_tokens: usage?.promptTokenCount,
      completion_tokens: usage?.candidatesTokenCount,
    });
    expect(usage?.totalTokenCount).toBe((usage?.promptTokenCount ?? 0) + (usage?.candidatesTokenCount ?? 0));
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
    const config = {
      tools: [{ functionDeclarations }],
      thinkingConfig: { includeThoughts: true, thinkingLevel: ThinkingLevel.HIGH },
    };
    for (const stream of [false, true]) {
      const first = await ask(scene, { contents: [question], stream, config });
      const { parts = [] } = first.content;
      expect(parts.map(({ text = '', thought }) => (thought === true ? text : '')).join('')).toBe('The moon is full.');
      const second = await ask(scene, { contents: [question, first.content, resultsOf(first.content)], stream, config });
      expect(second.text).toBe('At noon.');
      const sent = JSON.stringify(scene.upstream.requests.at(-1)?.body);
      if (format === 'Claude') expect(sent).toContain(signatureOf('The moon is full.'));
      if (format === 'Responses') expect(sent).toContain(encryptedOf('The moon is full.'));
    }
    await scene.checkBooks();
  });

  test.runIf(format === 'Claude')('is told the thoughts of models that hide them where nobody asks', async () => {
    await using scene = await open({
      channels: [{ ...channelOf(type), setting, model_mapping: JSON.stringify({ [model]: 'claude-opus-4-8' }) }],
    });
    scene.upstream.behave({ reasoning: 'The moon is full.', text: 'At noon.' });
    // As Gemini CLI requests.
    const config = { thinkingConfig: { includeThoughts: true } };
    for (const stream of [false, true]) {
      const { content, text } = await ask(scene, { contents: [question], stream, config });
      const thoughts = (content.parts ?? []).map((part) => (part.thought === true ? part.text : '')).join('');
      expect([thoughts, text]).toEqual(['The moon is full.', 'At noon.']);
    }
  });

  test.each([
    { mode: FunctionCallingConfigMode.AUTO, allowed: [], wanted: { OpenAI: 'auto', Claude: { type: 'auto' }, Responses: 'auto' } },
    { mode: FunctionCallingConfigMode.NONE, allowed: [], wanted: { OpenAI: 'none', Claude: { type: 'none' }, Responses: 'none' } },
    { mode: FunctionCallingConfigMode.ANY, allowed: [], wanted: { OpenAI: 'required', Claude: { type: 'any' }, Responses: 'required' } },
    {
      mode: FunctionCallingConfigMode.ANY,
      allowed: ['get_tide'],
      wanted: {
        OpenAI: { type: 'function', function: { name: 'get_tide' } },
        Claude: { type: 'tool', name: 'get_tide' },
        Responses: { type: 'function', name: 'get_tide' },
      },
    },
    {
      mode: FunctionCallingConfigMode.VALIDATED,
      allowed: ['get_tide'],
      wanted: {
        OpenAI: 'auto',
        Claude: { type: 'auto' },
        Responses: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'get_tide' }] },
      },
    },
  ])('chooses among tools in the mode $mode with $allowed', async ({ mode, allowed, wanted }) => {
    await using scene = await open();
    const other = {
      name: 'get_wind',
      parameters: { type: 'OBJECT' as never, properties: { at: { type: 'STRING' as never, nullable: true } } },
    };
    const functionCallingConfig = { mode, ...(allowed.length === 0 ? {} : { allowedFunctionNames: allowed }) };
    const config = { tools: [{ functionDeclarations: [...functionDeclarations, other] }], toolConfig: { functionCallingConfig } };
    await ask(scene, { contents: [question], config });
    const body = scene.upstream.requests[0]?.body;
    if (format === 'Gemini') expect(body).toMatchObject({ toolConfig: { functionCallingConfig }, tools: config.tools });
    else expect(body).toMatchObject({ tool_choice: { ...wanted }[format as 'OpenAI'] });
    const tools = JSON.stringify(body);
    // Formats without such a list receive only the allowed tools.
    expect(tools.includes('get_wind')).toBe(format === 'Gemini' || format === 'Responses' || mode !== FunctionCallingConfigMode.VALIDATED);
    if (format !== 'Gemini') expect(tools).not.toContain('OBJECT');
  });

  test('sends pictures, stops, limits and a schema', async () => {
    await using scene = await open();
    scene.upstream.behave({ text: '{"height":4}' });
    const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk';
    const schema = { type: 'object', properties: { height: { type: 'number' } }, required: ['height'] };
    const contents: Content[] = [{ role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data } }, { text: 'How high is this?' }] }];
    const stop = format === 'Responses' ? {} : { stopSequences: ['END'] };
    const config = { responseMimeType: 'application/json', responseJsonSchema: schema, maxOutputTokens: 100, ...stop };
    expect((await ask(scene, { contents, config })).text).toBe('{"height":4}');
    const sent = JSON.stringify(scene.upstream.requests[0]?.body);
    for (const text of [data, '"height"', '100', ...(format === 'Responses' ? [] : ['END'])]) expect(sent).toContain(text);
  });

  test('tells every error with its status', async () => {
    await using scene = await open();
    const said = async (work: Promise<unknown>) => {
      const failure = await failureOf(work);
      if (!(failure instanceof ApiError)) throw new Error('That is no error of the package', { cause: failure });
      const { error } = JSON.parse(failure.message);
      expect(error.code).toBe(failure.status);
      return { status: failure.status, name: error.status, details: error.details };
    };
    const { models } = clientOf(scene);
    const contents = [question];
    expect(await said(clientOf(scene, { apiKey: 'sk-wrong' }).models.generateContent({ model, contents }))).toMatchObject({
      status: 401,
      name: 'UNAUTHENTICATED',
    });
    expect(await said(models.generateContent({ model: 'none', contents }))).toMatchObject({ status: 404, name: 'NOT_FOUND' });
    for (const [status, reported, name] of [
      [400, 400, 'INVALID_ARGUMENT'],
      [429, 429, 'RESOURCE_EXHAUSTED'],
      [500, 500, 'INTERNAL'],
      [503, 503, 'UNAVAILABLE'],
    ] as const) {
      for (const stream of [false, true]) {
        scene.upstream.queue({ status, retryAfter: '7' });
        const failing = ask(scene, { contents, stream });
        const error = await said(failing);
        expect(error).toMatchObject({ status: reported, name });
      }
    }
    await scene.checkBooks();
  });

  test('counts the tokens of a prompt', async () => {
    await using scene = await open();
    const { totalTokens = 0 } = await clientOf(scene).models.countTokens({ model, contents: [question] });
    if (format !== 'OpenAI') expect(totalTokens).toBe(4242);
    else expect(totalTokens).toBeGreaterThan(4);
    const counted = await scene.post(`/v1beta/models/${model}:countTokens`, { contents: [question] });
    expect(counted.headers.get('x-tidegate-token-count')).toBe(format === 'OpenAI' ? 'own' : 'upstream');
    expect(await scene.balance()).toBe(scene.user.quota);
  });

  test('keeps a chat, whose streams come back in pieces', async () => {
    await using scene = await open();
    scene.upstream.behave({ text: 'High water is at noon.' });
    const chat = clientOf(scene).chats.create({ model });
    for await (const _event of await chat.sendMessageStream({ message: 'When?' }));
    expect((await chat.sendMessage({ message: 'And in Dover?' })).text).toBe('High water is at noon.');
    const sent = JSON.stringify(scene.upstream.requests[1]?.body);
    if (format !== 'Gemini') expect(sent).toContain('High water is at noon.');
    await scene.logs(2);
    await scene.checkBooks();
  });
});

describe.each(oneEngine)('the package of Google on $kind', (engine) => {
  test.each(['v1beta', 'v1'])('lists models page by page and reads them one by one at %s', async (apiVersion) => {
    const names = Array.from({ length: 7 }, (_, index) => `tide/model-${index}`);
    await using scene = await createScene(engine, { channels: [{ models: names.join(',') }] });
    const { models } = clientOf(scene, { apiVersion });
    const list = async (pageSize: number) => (await Array.fromAsync(await models.list({ config: { pageSize } }))).map(({ name }) => name);
    const all = names.map((name) => `models/${name}`);
    expect(await list(3)).toEqual(all);
    expect(await list(1000)).toEqual(all);
    expect(await models.get({ model: 'tide/model-3' })).toMatchObject({ name: 'models/tide/model-3', displayName: 'tide/model-3' });
    expect(await failureOf(models.get({ model: 'none' }))).toMatchObject({ status: 404 });
    const contents = [question];
    expect(await failureOf(models.generateContent({ model: 'none/such', contents }))).toMatchObject({ status: 404 });
  });
});
