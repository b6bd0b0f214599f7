// Ids of objects in the provider's account: a caller who knew an id of the operator's, or of another caller's, could read the object.
import { describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { createScene, testModel } from '#tests/support/relay-scene.ts';

const responses = { type: 1, setting: '{"formats":["openai-responses"]}' };
const gemini = `/v1beta/models/${testModel}:generateContent`;
const google = 'https://generativelanguage.googleapis.com/v1beta/files/a1';
const said = [{ role: 'user', parts: [{ text: 'Hi' }] }];
const file = (fileUri: string) => ({
  contents: [{ role: 'user', parts: [{ text: 'Hi' }, { fileData: { mimeType: 'text/plain', fileUri } }] }],
});
const chat = (part: object) => ({ model: testModel, messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }, part] }] });
const claude = (block: object, fields: object = {}) => ({
  model: testModel,
  max_tokens: 10,
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }, block] }],
  ...fields,
});
const ask = (part: object, fields: object = {}) => ({
  model: testModel,
  input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hi' }, part] }],
  ...fields,
});
const text = { type: 'text', text: 'there' };
const inputText = { type: 'input_text', text: 'there' };

const refused: { path: string; channel: object; body: object; field: string; status?: number }[] = [
  {
    path: gemini,
    channel: { type: 24 },
    body: { contents: said, cachedContent: 'cachedContents/a1' },
    field: 'cachedContent',
    status: 404,
  },
  {
    path: gemini,
    channel: { type: 24 },
    body: { contents: said, cached_content: 'cachedContents/a1' },
    field: 'cachedContent',
    status: 404,
  },
  { path: gemini, channel: { type: 24 }, body: file(google), field: 'contents.0.parts.1.fileData.fileUri' },
  {
    path: gemini,
    channel: { type: 24 },
    body: file('HTTPS://a@GenerativeLanguage.googleapis.com.:443/x/../v1/files/a1?alt=media'),
    field: 'contents.0.parts.1.fileData.fileUri',
  },
  { path: gemini, channel: { type: 24 }, body: file('files/a1'), field: 'contents.0.parts.1.fileData.fileUri' },
  { path: gemini, channel: { type: 24 }, body: file('gs://bucket/tides'), field: 'contents.0.parts.1.fileData.fileUri' },
  {
    path: gemini,
    channel: { type: 24 },
    body: { contents: { parts: { file_data: { file_uri: google } } } },
    field: 'contents.parts.fileData.fileUri',
  },
  {
    path: gemini,
    channel: { type: 24 },
    body: { contents: said, tools: { fileSearch: { fileSearchStoreNames: ['fileSearchStores/a'] } } },
    field: 'tools.fileSearch.fileSearchStoreNames',
  },
  {
    path: '/v1/chat/completions',
    channel: { type: 1 },
    body: chat({ type: 'file', file: { file_id: 'file-1' } }),
    field: 'messages.0.content.1.file.file_id',
  },
  // Mistral's form.
  {
    path: '/v1/chat/completions',
    channel: { type: 42 },
    body: chat({ type: 'file', file_id: 'file-1' }),
    field: 'messages.0.content.1.file_id',
  },
  // Google's own, in this format.
  {
    path: '/v1/chat/completions',
    channel: { type: 1 },
    body: { ...chat(text), extra_body: { google: { cached_content: 'cachedContents/a1' } } },
    field: 'extra_body.google.cached_content',
  },
  {
    path: '/v1/chat/completions',
    channel: { type: 1 },
    body: { ...chat(text), google: { cachedContent: 'cachedContents/a1' } },
    field: 'google.cachedContent',
  },
  {
    path: '/v1/chat/completions',
    channel: { type: 17 },
    body: chat({ type: 'video', video: ['https://tides.example/1.png', 'oss://a1'] }),
    field: 'messages.0.content.1.video.1',
  },
  {
    path: '/v1/chat/completions',
    channel: { type: 17 },
    body: chat({ type: 'video', video: 'oss://a1' }),
    field: 'messages.0.content.1.video',
  },
  {
    path: '/v1/chat/completions',
    channel: { type: 17 },
    body: chat({ type: 'input_audio', input_audio: { data: 'oss://a1', format: 'mp3' } }),
    field: 'messages.0.content.1.input_audio.data',
  },
  {
    path: '/v1/chat/completions',
    channel: { type: 17 },
    body: chat({ type: 'input_audio', input_audio: { data: ['aGk=', 'oss://a1'], format: 'mp3' } }),
    field: 'messages.0.content.1.input_audio.data.1',
  },
  {
    path: '/v1/chat/completions',
    channel: { type: 17 },
    body: chat({ type: 'image_url', image_url: [{ url: 'oss://a1' }] }),
    field: 'messages.0.content.1.image_url.0.url',
  },
  {
    path: '/v1/chat/completions',
    channel: { type: 25 },
    body: chat({ type: 'video_url', video_url: { url: 'ms://a1' } }),
    field: 'messages.0.content.1.video_url.url',
  },
  {
    path: '/v1/chat/completions',
    channel: { type: 17 },
    body: {
      model: testModel,
      messages: [
        { role: 'system', content: 'fileid://file-fe-1' },
        { role: 'user', content: 'Hi' },
      ],
    },
    field: 'messages.0.content',
  },
  {
    path: '/v1/chat/completions',
    channel: { type: 1, setting: '{"allow_surcharges":true}' },
    body: { ...chat(text), tools: [{ type: 'retrieval', retrieval: { knowledge_id: '1' } }] },
    field: 'tools.0.retrieval.knowledge_id',
  },
  // Another format on the way to Google: an address is one of a file there, too.
  {
    path: '/v1/chat/completions',
    channel: { type: 24 },
    body: chat({ type: 'image_url', image_url: { url: google } }),
    field: 'contents.0.parts.1.fileData.fileUri',
  },
  {
    path: '/v1/messages',
    channel: { type: 14 },
    body: claude({ type: 'document', source: { type: 'file', file_id: 'file_1' } }),
    field: 'messages.0.content.1.source.file_id',
  },
  {
    path: '/v1/messages',
    channel: { type: 14 },
    body: claude({ type: 'tool_result', tool_use_id: 't', content: [{ type: 'image', source: { type: 'file', file_id: 'file_1' } }] }),
    field: 'messages.0.content.1.content.0.source.file_id',
  },
  {
    path: '/v1/messages',
    channel: { type: 14 },
    body: claude({ type: 'container_upload', file_id: 'file_1' }),
    field: 'messages.0.content.1.file_id',
  },
  { path: '/v1/messages', channel: { type: 14 }, body: claude(text, { container: 'container_1' }), field: 'container' },
  { path: '/v1/messages', channel: { type: 14 }, body: claude(text, { container: { id: 'container_1' } }), field: 'container.id' },
  {
    path: '/v1/messages',
    channel: { type: 14 },
    body: claude(text, { container: { skills: [{ type: 'custom', skill_id: 'skill_1', version: 'latest' }] } }),
    field: 'container.skills.0.skill_id',
  },
  { path: '/v1/responses', channel: responses, body: ask({ type: 'input_file', file_id: 'file-1' }), field: 'input.0.content.1.file_id' },
  {
    path: '/v1/responses',
    channel: responses,
    body: ask({ type: 'input_image', file_id: 'file-1', detail: 'auto' }),
    field: 'input.0.content.1.file_id',
  },
  {
    path: '/v1/responses',
    channel: responses,
    body: ask(inputText, { tools: [{ type: 'code_interpreter', container: 'cntr_1' }] }),
    field: 'tools.0.container',
  },
  {
    path: '/v1/responses',
    channel: responses,
    body: ask(inputText, { tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: ['file-1'] } }] }),
    field: 'tools.0.container.file_ids',
  },
  {
    path: '/v1/responses',
    channel: responses,
    body: ask(inputText, { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] }),
    field: 'tools.0.vector_store_ids',
  },
];

const taken: { path: string; channel: object; body: object }[] = [
  {
    path: '/v1/chat/completions',
    channel: { type: 1 },
    body: { ...chat(text), extra_body: { google: { thinking_config: { include_thoughts: true } } } },
  },
  {
    path: '/v1/chat/completions',
    channel: { type: 17 },
    body: chat({ type: 'video', video: ['https://tides.example/1.png', 'https://tides.example/2.png'] }),
  },
  { path: gemini, channel: { type: 24 }, body: file('https://tides.example/generativelanguage.googleapis.com') },
  {
    path: '/v1/chat/completions',
    channel: { type: 1 },
    body: chat({ type: 'image_url', image_url: { url: 'https://tides.example/a.png' } }),
  },
  { path: '/v1/chat/completions', channel: { type: 1 }, body: chat({ type: 'text', text: 'What is fileid://file-fe-1?' }) },
  {
    path: '/v1/messages',
    channel: { type: 14 },
    body: claude(text, { container: { skills: [{ type: 'anthropic', skill_id: 'pdf', version: 'latest' }] } }),
  },
  {
    path: '/v1/responses',
    channel: responses,
    body: ask(inputText, { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }),
  },
];

describe.each(engines)('what lies in the account of a provider, on $kind', (engine) => {
  test.each(refused)('$path: $field is refused in the format of its caller', async ({ path, channel, body, field, status = 400 }) => {
    await using scene = await createScene(engine, { channels: [channel], settings: { SelfUseModeEnabled: 'true' } });
    const answer = await scene.post(path, body);
    expect([answer.status, JSON.stringify(await answer.json())]).toEqual([status, expect.stringContaining(field)]);
    expect(scene.upstream.requests).toEqual([]);
    await scene.checkBooks();
  });

  test.each(refused.filter(({ channel, path }) => !('type' in channel && channel.type === 24 && path.startsWith('/v1/'))))(
    '$path: $field passes where the site passes everything on as it is',
    async ({ path, channel, body }) => {
      const settings = { SelfUseModeEnabled: 'true', 'global.pass_through_request_enabled': 'true' };
      await using scene = await createScene(engine, { channels: [channel], settings });
      await (await scene.post(path, body)).text();
      expect(scene.upstream.requests[0]?.body).toMatchObject(body);
    },
  );

  test.each(taken)('$path: what is of the caller, or of everybody, passes', async ({ path, channel, body }) => {
    await using scene = await createScene(engine, { channels: [channel] });
    await (await scene.post(path, body)).text();
    expect(scene.upstream.requests[0]?.body).toMatchObject(body);
  });

  test("what the operator's channel adds is the operator's to share", async () => {
    const param_override = JSON.stringify({ cachedContent: 'cachedContents/a1' });
    await using scene = await createScene(engine, { channels: [{ type: 24, param_override }] });
    expect((await scene.post(gemini, { contents: said })).status).toBe(200);
    expect(scene.upstream.requests[0]?.body).toMatchObject({ cachedContent: 'cachedContents/a1' });
  });

  test('a count of it is refused as well', async () => {
    await using scene = await createScene(engine, { channels: [{ type: 24 }] });
    const body = { generate_content_request: { contents: said, cached_content: 'cachedContents/a1' } };
    const answer = await scene.post(gemini.replace('generateContent', 'countTokens'), body);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('generateContentRequest.cachedContent')]);
    expect(scene.upstream.requests).toEqual([]);
  });

  test('embeddings of a file there are refused', async () => {
    await using scene = await createScene(engine, { channels: [{ type: 24 }] });
    const body = { content: { parts: [{ file_data: { mime_type: 'image/png', file_uri: google } }] } };
    const answer = await scene.post(`/v1beta/models/${testModel}:embedContent`, body);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('content.parts.0.fileData.fileUri')]);
    expect(scene.upstream.requests).toEqual([]);
  });
});
