// Callers that speak Gemini: where model, verb and key stand, both forms of a stream, and what a body may not say twice.
import { describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { createScene, type RelayScene, type SceneOptions, testModel } from '#tests/support/relay-scene.ts';

const contents = [{ role: 'user', parts: [{ text: 'Say hello' }] }];
const gemini = 'gemini-2.5-flash';
const ofGemini: SceneOptions = { settings: { SelfUseModeEnabled: 'true' }, channels: [{ type: 24, models: gemini }] };

/** Without the header that other calls have. */
function post(
  scene: RelayScene,
  path: string,
  body: unknown = { contents },
  headers: Record<string, string> = { 'x-goog-api-key': scene.key },
) {
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
  return fetch(`${scene.app.origin}${path}`, init);
}

describe.each(engines)('callers of Gemini on $kind', (engine) => {
  test.each([
    `/v1beta/models/${testModel}:generateContent`,
    `/v1/models/${testModel}:generateContent`,
    `/v1beta/models/models/${testModel}:generateContent`,
    `/v1beta/models/${testModel}%3AgenerateContent`,
    `/v1beta/models/models%2F${testModel}:generateContent/`,
  ])('%s is answered', async (path) => {
    await using scene = await createScene(engine);
    scene.upstream.behave({ text: 'Hello.' });
    const response = await post(scene, path);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      candidates: [{ content: { role: 'model', parts: [{ text: 'Hello.' }] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: expect.any(Number), totalTokenCount: expect.any(Number) },
      modelVersion: expect.stringContaining(testModel),
      responseId: expect.stringMatching(/./),
    });
    expect((await scene.logs(1))[0]).toMatchObject({ model_name: testModel });
    await scene.checkBooks();
  });

  test.each(['vendor/tide:free', 'a/b/c', 'tunedModels/tide', '潮汐'])(
    'the model %s is found in the path, as it is and escaped',
    async (name) => {
      await using scene = await createScene(engine, { settings: { SelfUseModeEnabled: 'true' }, channels: [{ models: name }] });
      const paths = name.startsWith('tunedModels/') ? [name] : [`models/${encodeURI(name)}`, `models/${encodeURIComponent(name)}`];
      for (const path of paths) expect((await post(scene, `/v1beta/${path}:generateContent`)).status, path).toBe(200);
      expect(scene.upstream.requests.map(({ body }) => body)).toMatchObject(paths.map(() => ({ model: name })));
    },
  );

  test('a tuned model of Gemini keeps its collection on its way upstream', async () => {
    const models = 'tunedModels/tide';
    await using scene = await createScene(engine, { ...ofGemini, channels: [{ type: 24, models }] });
    await post(scene, `/v1beta/${models}:generateContent`);
    expect(scene.upstream.requests[0]?.path).toBe('/v1beta/tunedModels/tide:generateContent');
  });

  test.each(['Predict', 'tuneModel', 'generatecontent', ''])('the verb "%s" is refused in the format of Gemini', async (verb) => {
    await using scene = await createScene(engine);
    for (const version of ['v1', 'v1beta']) {
      const response = await post(scene, `/${version}/models/${testModel}:${verb}`);
      expect(response.status).toBe(501);
      expect(await response.json()).toMatchObject({ error: { code: 501, status: 'UNIMPLEMENTED' } });
    }
  });

  test('a key is taken from the header, as a bearer and from the address, whence it goes nowhere', async () => {
    await using scene = await createScene(engine, ofGemini);
    const path = `/v1beta/models/${gemini}:streamGenerateContent?alt=sse`;
    const requested = [
      post(scene, path),
      post(scene, path, undefined, { authorization: `Bearer ${scene.key}` }),
      post(scene, `${path}&key=${scene.key}`, undefined, {}),
    ];
    for (const response of await Promise.all(requested)) {
      expect(response.status).toBe(200);
      await response.text();
    }
    const rows = await scene.logs(3);
    expect(JSON.stringify(rows)).not.toContain(scene.key.slice(3));
    expect(JSON.stringify(scene.upstream.requests)).not.toContain(scene.key.slice(3));
    expect(scene.upstream.requests.map(({ path: sent }) => sent)).toEqual([path, path, path]);
    const refused = await post(scene, `/v1beta/models/${gemini}:generateContent?key=sk-nobody`, undefined, {});
    expect(await refused.json()).toMatchObject({ error: { code: 401, status: 'UNAUTHENTICATED' } });
  });

  test.each([
    { what: 'another model than the path', body: { model: 'gpt-4o', contents }, field: 'model' },
    {
      what: 'a limit in both spellings',
      body: { contents, generationConfig: { maxOutputTokens: 5, max_output_tokens: 5000 } },
      field: 'maxOutputTokens',
    },
    {
      what: 'its settings in both spellings',
      body: { contents, generationConfig: {}, generation_config: { maxOutputTokens: 5 } },
      field: 'generationConfig',
    },
    { what: 'a limit in capitals', body: { contents, generationConfig: { MaxOutputTokens: 5 } }, field: 'MaxOutputTokens' },
    {
      what: 'a limit that is a text',
      body: { contents, generationConfig: { maxOutputTokens: '5' } },
      field: 'generationConfig.maxOutputTokens',
    },
    {
      what: 'too many candidates',
      body: { contents, generation_config: { candidate_count: 9 } },
      field: 'generationConfig.candidateCount',
    },
    { what: 'nothing', body: {}, field: 'contents' },
  ])('who asks for $what is refused before anything is sent', async ({ body, field }) => {
    await using scene = await createScene(engine, ofGemini);
    const response = await post(scene, `/v1beta/models/${gemini}:generateContent`, body);
    expect(response.status).toBe(400);
    const { error } = await response.json();
    expect(error).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT' });
    const violations = error.details.find((detail: Record<string, string>) => detail['@type']?.endsWith('BadRequest'))?.fieldViolations;
    expect(violations).toMatchObject([{ field: expect.stringContaining(field) }]);
    expect(scene.upstream.requests).toEqual([]);
    expect(await scene.balance()).toBe(scene.user.quota);
  });

  test('a body may repeat its model, have either spelling and one object for a list', async () => {
    await using scene = await createScene(engine);
    const body = {
      model: `models/${testModel}`,
      system_instruction: { parts: { text: 'Be brief.' } },
      contents: { parts: { text: 'Hello' } },
      generation_config: { max_output_tokens: 7, stop_sequences: ['END'] },
    };
    expect((await post(scene, `/v1beta/models/${testModel}:generateContent`, body)).status).toBe(200);
    expect(scene.upstream.requests[0]?.body).toMatchObject({
      model: testModel,
      max_tokens: 7,
      stop: 'END',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
      ],
    });
  });

  test.each([
    { before: 'Gemini', options: ofGemini, model: gemini },
    { before: 'OpenAI', options: {}, model: testModel },
  ])('without alt=sse a stream is one list, before $before', async ({ options, model }) => {
    await using scene = await createScene(engine, options);
    scene.upstream.behave({ text: 'one two three', bytesPerWrite: 7 });
    const response = await post(scene, `/v1beta/models/${model}:streamGenerateContent`);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const list = await response.json();
    const texts = list.flatMap(({ candidates }: { candidates: { content: { parts: { text: string }[] } }[] }) =>
      candidates[0]?.content.parts.map(({ text }) => text),
    );
    expect(texts.join('')).toBe('one two three');
    expect(list.at(-1)).toMatchObject({ candidates: [{ finishReason: 'STOP' }], usageMetadata: { candidatesTokenCount: 3 } });
    scene.upstream.behave({ text: 'one two three four five', errorAfter: 3 });
    const broken = await (await post(scene, `/v1beta/models/${model}:streamGenerateContent`)).json();
    expect(broken.length).toBeGreaterThan(1);
    expect(broken.at(-1)).toMatchObject({ error: { code: expect.any(Number), status: expect.any(String) } });
    await scene.logs(2);
    await scene.checkBooks();
  });

  test('what is asked of Gemini passes as it was written', async () => {
    await using scene = await createScene(engine, ofGemini);
    const body = { contents, safetySettings: [], generationConfig: { responseModalities: ['TEXT'] } };
    const response = await post(scene, `/v1beta/models/${gemini}:streamGenerateContent?alt=sse`, body);
    const text = await response.text();
    expect(text.trimEnd().split('\n\n').at(-1)).toContain('"finishReason":"STOP"');
    expect(scene.upstream.requests[0]?.body).toMatchObject(body);
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ is_stream: true, model_name: gemini });
    await scene.checkBooks();
  });

  test.each(['generateContentRequest', 'generate_content_request'])('a count of %s names the model as its channel does', async (name) => {
    const model_mapping = JSON.stringify({ tide: gemini });
    await using scene = await createScene(engine, { ...ofGemini, channels: [{ type: 24, models: 'tide', model_mapping }] });
    const requested = (fields: object) =>
      post(scene, '/v1beta/models/tide:countTokens', { [name]: { model: 'models/tide', contents }, ...fields });
    expect((await requested({})).status).toBe(200);
    expect(scene.upstream.requests[0]).toMatchObject({
      path: `/v1beta/models/${gemini}:countTokens`,
      body: { [name]: { model: `models/${gemini}` } },
    });
    const other = name.includes('_') ? 'generateContentRequest' : 'generate_content_request';
    expect((await requested({ [other]: { contents } })).status).toBe(400);
    expect(scene.upstream.requests).toHaveLength(1);
  });

  test('tells when a caller may ask again', async () => {
    await using scene = await createScene(engine, { settings: { ModelRequestRateLimitEnabled: 'true', ModelRequestRateLimitCount: '1' } });
    await (await post(scene, `/v1beta/models/${testModel}:generateContent`)).text();
    await scene.logs(1);
    const response = await post(scene, `/v1beta/models/${testModel}:generateContent`);
    const { error } = await response.json();
    expect(error).toMatchObject({ code: 429, status: 'RESOURCE_EXHAUSTED' });
    const wait = Number(response.headers.get('retry-after'));
    expect(error.details).toContainEqual({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${wait}s` });
  });
});
