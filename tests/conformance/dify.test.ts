// Applications of Dify: against the provider vectors, what is written of every caller's request, and read of every response. The stand-in
// takes requests strictly.
import { describe, expect, test } from 'vitest';
import { callKinds } from '#server/kinds/registry.ts';
import { clientDialects, upstreamDialects } from '#server/formats/registry.ts';
import { TextTally } from '#server/formats/text-tally.ts';
import { TranslatedStream } from '#server/formats/translated-stream.ts';
import { framings } from '#server/framing/registry.ts';
import { routedRequest } from '#tests/support/routed-request.ts';
import type { UpstreamRequest } from '#server/exchange/build-request.ts';
import type { Exchange } from '#server/exchange/exchange.ts';
import { leaveFiles } from '#server/exchange/leave-files.ts';
import type { SendRequest } from '#server/exchange/send.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import { chatOf } from '#tests/support/dify-responses.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { type FakeDify, readLeft, startFakeDify } from '#tests/support/fake-dify.ts';
import { createScene, type SceneOptions } from '#tests/support/relay-scene.ts';
import { differences, isObject, readVectors, type Vector } from './provider-vectors.ts';

const { dify } = upstreamDialects;
const client = clientDialects['openai-chat'];
const kind = callKinds.chat;
const user = (content: unknown) => ({ role: 'user', content });
const writer = { requestId: 'r1', createdAt: 1_700_000_000, wantsUsage: true, promptEstimate: 0 };

async function requestOf({ request, channel }: Pick<Vector, 'request' | 'channel'>): Promise<UpstreamRequest> {
  const { body } = request;
  return routedRequest({
    client,
    clientHeaders: {},
    settings: defaultSettings,
    kind,
    channel: buildPreparedChannel({ type: 37, key: channel.key }),
    body,
    rawText: JSON.stringify(body),
    originModel: String(body['model']),
    isStream: body['stream'] === true,
    forceUsage: true,
    requestId: 'r1',
  });
}

/** The call after its file uploads, and the upload requests. */
async function withFiles(
  open: UpstreamRequest,
  { other_calls: answers = [] }: Pick<Vector, 'other_calls'>,
): Promise<{ request: UpstreamRequest; left: SendRequest[] }> {
  const left: SendRequest[] = [];
  if (open.files === undefined) return { request: open, left };
  const send = (requested: SendRequest): Exchange => {
    const body = Buffer.from(JSON.stringify(answers[left.length]?.response.body));
    left.push(requested);
    const sending = { isSent: true, limitBy() {}, abort() {} };
    return { sending, received: Promise.resolve({ kind: 'whole', status: 200, body }) };
  };
  const sender = { send: () => expect.unreachable() };
  const done = await leaveFiles(open, open.files, { now: () => 0, sender, isWanted: () => true, responseMs: 1000, send });
  if (done.kind !== 'left') throw new Error('The files were not taken');
  return { request: done.request, left };
}

/** The vector has another name than the vendor: https://docs.dify.ai/en/api-reference/chat-messages/send-chat-message */
function inTheirNames(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body).replaceAll('"transfer_mode"', '"transfer_method"'));
}

function bodyOf({ body }: UpstreamRequest): Record<string, unknown> {
  return JSON.parse(Buffer.isBuffer(body) ? body.toString() : '');
}

const vectors = readVectors('dify');

test('has vectors', () => expect(vectors).toHaveLength(3));

describe.each(vectors.map((vector) => ({ name: vector.name, vector })))('$name', ({ vector }) => {
  const { response, response_chunks: chunks, upstream_response: upstream, usage } = vector;

  test('sends the expected call', async () => {
    const request = await requestOf(vector);
    expect(`${request.origin}${request.path}`).toBe(vector.upstream.url);
    expect(differences(request.headers, vector.upstream.headers, false)).toEqual([]);
    const { request: called, left } = await withFiles(request, vector);
    expect(differences(bodyOf(called), inTheirNames(vector.upstream.body), true)).toEqual([]);
    const wanted = vector.other_calls ?? [];
    expect(left.map(({ origin, path }) => `${origin}${path}`)).toEqual(wanted.map((call) => call.request.url));
    for (const [at, { headers, body }] of left.entries()) {
      const form = await readLeft(headers, Buffer.from(body?.toString('latin1') ?? '', 'latin1'));
      const [sender, file] = wanted[at]?.request.multipart ?? [];
      expect(form).toEqual({
        user: sender?.value,
        fileName: file?.filename,
        type: file?.content_type,
        bytes: Buffer.from(file?.base64 ?? '', 'base64'),
      });
    }
  });

  if (response !== undefined)
    test('gives the client the expected answer', async () => {
      const { route, upstreamModel } = await requestOf(vector);
      const body = Buffer.from(JSON.stringify(upstream.body));
      const decoded = kind.decode({ client, route, upstreamModel, body, responseFields: {}, writer: { ...writer, model: upstreamModel } });
      if (decoded.kind !== 'whole') throw new Error('It is no response');
      // Ids without OpenAI's prefix are replaced: its clients check prefixes.
      expect(differences(JSON.parse(decoded.body(null).toString()), { ...Object(response.body), id: '$ANY' }, false)).toEqual([]);
    });

  if (chunks !== undefined)
    test('gives the client the expected stream', async () => {
      const { route, upstreamModel } = await requestOf(vector);
      const tally = new TextTally({ countText: () => Promise.resolve(0), estimateText: () => 0 });
      const pipe = new TranslatedStream({ client, route, writer: { ...writer, model: upstreamModel }, tally });
      const step = pipe.push(Buffer.from(`${(upstream.sse ?? []).join('\n')}\n\n`));
      expect(step.next).toBe('complete');
      const text = Buffer.concat([...step.forClient, pipe.ending(pipe.reportedUsage().usage)]).toString();
      const events = [...framings.sse.events(Buffer.from(text))].map(({ data }) => data);
      expect(events.at(-1)).toBe('[DONE]');
      const reported = events.slice(0, -1).map((event): Record<string, unknown> => JSON.parse(event));
      const choices = reported.flatMap((event) => (Array.isArray(event['choices']) ? event['choices'].filter(isObject) : []));
      const said = (field: string) => choices.map(({ delta }) => Object(delta)[field] ?? '').join('');
      expect([said('reasoning_content'), said('content')]).toEqual(['Workflow: wf1\nNode: llm succeeded\n', 'Hi!']);
      expect(choices.at(-1)).toMatchObject({ finish_reason: 'stop' });
      expect(reported.at(-1)?.['usage']).toMatchObject(usage ?? {});
    });
});

describe('a request', () => {
  test('has somebody who asks, and names what an application decides itself', async () => {
    const tools = [{ type: 'function', function: { name: 'get', parameters: {} } }];
    const call = { id: 'c1', type: 'function', function: { name: 'get', arguments: '{"a":1}' } };
    const messages = [
      user('Tide?'),
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: 'noon' },
    ];
    const body = { model: 'm', messages, tools, max_tokens: 5, temperature: 0.5, response_format: { type: 'json_object' } };
    const request = await requestOf({
      request: { path: '/v1/chat/completions', body },
      channel: { type: 37, key: 'k', base_url: '', other: '', openai_organization: '' },
    });
    const sent = bodyOf(request);
    expect(sent).toMatchObject({ user: 'chatcmpl-r1', query: 'USER: \nTide?\nASSISTANT: \nget({"a":1})\nUSER: \nnoon\n' });
    expect(chatOf(sent, 'm')).toHaveProperty('requested');
    expect(request.dropped.toSorted()).toEqual(['max_tokens', 'response_format', 'temperature', 'tools']);
  });

  test('has pictures and documents by their address', async () => {
    const image = { type: 'image_url', image_url: { url: 'https://a.example/1.png', detail: 'low' } };
    const body = { model: 'm', messages: [user([{ type: 'text', text: 'What?' }, image])] };
    const request = await requestOf({
      request: { path: '/v1/chat/completions', body },
      channel: { type: 37, key: 'k', base_url: '', other: '', openai_organization: '' },
    });
    const sent = bodyOf(request);
    expect(sent).toMatchObject({
      query: 'USER: \nWhat?\n',
      files: [{ type: 'image', transfer_method: 'remote_url', url: 'https://a.example/1.png' }],
    });
    expect(chatOf(sent, 'm')).toHaveProperty('requested');
    expect(request.dropped).toEqual(['image_url.detail']);
    const parts = clientDialects.claude.readRequest({
      model: 'm',
      max_tokens: 5,
      messages: [user([{ type: 'document', source: { type: 'url', url: 'https://a.example/1.pdf' } }])],
    });
    const written = dify.writeRequest(parts, { upstreamModel: 'm', forceUsage: true, settings: defaultSettings });
    expect(written.body).toMatchObject({ query: '...', files: [{ type: 'document', url: 'https://a.example/1.pdf' }] });
  });

  test('takes no name of a file that would say more than a name', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
    const body = { model: 'm', messages: [user([image])] };
    const open = await requestOf({
      request: { path: '/v1/chat/completions', body },
      channel: { type: 37, key: 'k', base_url: '', other: '', openai_organization: '' },
    });
    const other_calls = (id: unknown) => ({ other_calls: [{ request: { url: '' }, response: { body: { id } } }] });
    for (const id of ['1","user":"root', '', 5, undefined]) await expect(withFiles(open, other_calls(id))).rejects.toThrow('not taken');
    expect(bodyOf((await withFiles(open, other_calls('f-1'))).request)['files']).toMatchObject([{ upload_file_id: 'f-1' }]);
  });

  test.each([
    ['', '/v1/chat-messages'],
    ['left over from before', '/v1/chat-messages'],
    ['completion:topic', '/v1/completion-messages'],
    [' workflow ', '/v1/workflows/run'],
  ])('to an application that is called %j goes to %s', (other, path) => {
    expect(buildPreparedChannel({ type: 37, key: 'k', other }).route(client, 'chat', 'm')?.path).toBe(path);
  });

  test.each([
    ['sounds', { messages: [user([{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }])] }],
    ['texts that end it', { messages: [user('Hi')], stop: ['END'] }],
  ])('with %s is refused', (_what, fields) => {
    const request = client.readRequest({ model: 'm', ...fields });
    const write = () => dify.writeRequest(request, { upstreamModel: 'm', forceUsage: true, settings: defaultSettings });
    expect(write).toThrow(expect.objectContaining({ code: 'untranslatable' }));
  });
});

describe('a response', () => {
  const read = (...events: object[]) => {
    const reader = dify.createStreamReader(null);
    return events.flatMap((event) => reader.read({ name: '', data: JSON.stringify(event) }));
  };
  const says = (answer: string) => ({ event: 'agent_message', message_id: 'm1', answer });

  test('has thoughts between their marks', () => {
    const opening = '<details style="color:gray;" open> <summary> Thinking... </summary>\n';
    expect(read(says(opening), says('Hm'), says('</details>'), says('So'))).toEqual(
      [
        { type: 'reasoning', text: 'Hm' },
        { type: 'text', text: 'So' },
      ].flatMap((part, index) => (index === 0 ? [{ type: 'start', id: 'm1', model: '' }, part] : [part])),
    );
  });

  const ends = (data: object) => ({ event: 'workflow_finished', workflow_run_id: 'r1', data: { status: 'succeeded', ...data } });

  test('of a workflow is its text, else what it has put out, once', () => {
    const chunk = { event: 'text_chunk', workflow_run_id: 'r1', data: { text: 'Noon' } };
    const node = {
      event: 'node_finished',
      workflow_run_id: 'r1',
      data: { node_type: 'llm', outputs: { usage: { prompt_tokens: 30, completion_tokens: 6 } } },
    };
    const start = { type: 'start', id: 'r1', model: '' };
    const said = [
      { type: 'text', text: 'Noon' },
      { type: 'finish', reason: 'stop' },
    ];
    // Tokens that nodes did not report are input.
    const parts = read(chunk, node, node, ends({ outputs: { text: 'Noon' }, total_tokens: 100 })).filter(
      ({ type }) => type !== 'reasoning',
    );
    expect(parts).toEqual([start, ...said, { type: 'usage', usage: { input: 88, output: 12 } }]);
    // Usage that an end node or code passes on is not counted again.
    const handsOn = (type: string) => ({ ...node, data: { node_type: type, outputs: node.data.outputs } });
    const usages = read(chunk, node, handsOn('end'), handsOn('code'), ends({ total_tokens: 36 })).filter(({ type }) => type === 'usage');
    expect(usages).toEqual([{ type: 'usage', usage: { input: 30, output: 6 } }]);
    expect(read(ends({ outputs: { summary: 'Noon' }, total_tokens: 9 }))).toEqual([
      start,
      ...said,
      { type: 'usage', usage: { input: 8, output: 1 } },
    ]);
    expect(read(ends({ outputs: { a: 1, answer: 'Noon' }, total_tokens: 0 }))).toEqual([start, ...said]);
    expect(read(ends({ outputs: { a: 1, b: ['x'] } }))).toMatchObject([start, { text: '{"a":1,"b":["x"]}' }, {}]);
  });

  test('of a workflow that fails or waits for somebody is an error', () => {
    expect(read(ends({ status: 'failed', error: 'node n1 broke' }))).toMatchObject([
      { type: 'error', error: { message: 'node n1 broke' } },
    ]);
    const whole = JSON.stringify({ workflow_run_id: 'r1', data: { status: 'failed', outputs: {}, error: 'node n1 broke' } });
    expect(dify.readError(whole, null)).toMatchObject({ status: 500, message: 'node n1 broke' });
    expect(dify.readError(JSON.stringify({ data: { status: 'succeeded', error: null } }), null)).toBeNull();
    // That of a chatflow ends with its message.
    expect(read({ ...ends({ outputs: { answer: 'no' } }), message_id: 'm1', conversation_id: 'c1' }).map(({ type }) => type)).not.toContain(
      'finish',
    );
  });

  test('that fails is an error with its status', () => {
    const reported = { event: 'error', status: 429, code: 'provider_quota_exceeded', message: 'no' };
    expect(read(reported)).toMatchObject([{ type: 'error', error: { status: 429, message: 'no' } }]);
    expect(dify.readError(JSON.stringify(reported), null)).toMatchObject({
      status: 429,
      type: 'dify_error',
      code: 'provider_quota_exceeded',
    });
  });

  test('without models has no usage, and is counted', () => {
    const end = { event: 'message_end', metadata: { usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } } };
    expect(read(end).map(({ type }) => type)).toEqual(['start', 'finish']);
  });

  test.each([{}, { event: 'node_started' }, { event: 'message', answer: 5 }, { event: 'message_end', metadata: [] }])(
    'may be anything: %j',
    (event) => expect(Array.isArray(read(event))).toBe(true),
  );
});

const model = 'tide-bot';
const prices = {
  ModelRatio: JSON.stringify({ [model]: 10 }),
  CompletionRatio: JSON.stringify({ [model]: 1 }),
  DefaultMaxOutputTokens: '1000',
};

async function openScene(engine: (typeof oneEngine)[number], options: SceneOptions = {}, other = '') {
  let app: FakeDify | undefined;
  const front = async (url: string) => (app = await startFakeDify(url, other));
  const scene = await createScene(engine, { channels: [{ models: model }], settings: prices, front, ...options });
  if (app === undefined) throw new Error('Nothing stands before the upstream');
  return { scene, app, taken: app.taken };
}

describe.each(oneEngine.map((engine) => ({ engine, kind: engine.kind })))('calls on $kind', ({ engine }) => {
  test('are charged alike, whole and streamed', async () => {
    const { scene } = await openScene(engine);
    await using _scene = scene;
    scene.upstream.behave({ text: 'At noon in Brest.' });
    for (const path of ['/v1/chat/completions', '/v1/messages']) {
      for (const stream of [false, true]) {
        const response = await scene.post(path, { model, max_tokens: 50, stream, messages: [user('Tide?')] });
        expect(response.status).toBe(200);
        expect(await response.text()).toContain('Brest');
      }
    }
    const rows = await scene.logs(4);
    expect(new Set(rows.map(({ quota, completion_tokens }) => `${quota} ${completion_tokens}`)).size).toBe(1);
    expect(rows[0]?.completion_tokens).toBeGreaterThan(0);
    await scene.checkBooks();
  });

  test.each(['completion:topic', 'workflow:topic'])('to %s are charged alike, whole and streamed', async (other) => {
    const channels = [{ models: model, param_override: JSON.stringify({ inputs: { language: 'fr', topic: 'not this' } }) }];
    const { scene, taken } = await openScene(engine, { channels }, other);
    await using _scene = scene;
    scene.upstream.behave({ text: 'At noon in Brest.' });
    for (const path of ['/v1/chat/completions', '/v1/messages']) {
      for (const stream of [false, true]) {
        const response = await scene.post(path, { model, max_tokens: 50, stream, messages: [user('Tide?')] });
        const text = await response.text();
        expect(response.status, text).toBe(200);
        expect(text).toContain('Brest');
        if (path === '/v1/chat/completions' && stream) expect(text).toContain('[DONE]');
      }
    }
    expect(taken.map(({ inputs }) => inputs)).toEqual(taken.map(() => ({ language: 'fr', topic: 'Tide?' })));
    expect(taken[0]).not.toHaveProperty('query');
    // A blocking run reports only a total, which is the same.
    const rows = await scene.logs(4);
    expect(new Set(rows.map(({ prompt_tokens: prompt, completion_tokens: written }) => prompt + written)).size).toBe(1);
    expect(rows.every(({ completion_tokens: written }) => written > 0)).toBe(true);
    await scene.checkBooks();
  });

  test('to a workflow leave files, keep headings where several speak, and end with its failures', async () => {
    const { scene, app, taken } = await openScene(engine, {}, 'workflow:topic');
    await using _scene = scene;
    scene.upstream.behave({ text: 'A dot.' });
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
    const messages = [{ role: 'system', content: 'Be brief.' }, user([{ type: 'text', text: 'What?' }, image])];
    expect((await scene.post('/v1/chat/completions', { model, messages })).status).toBe(200);
    expect(app.left).toHaveLength(1);
    expect(taken).toMatchObject([
      { inputs: { topic: 'SYSTEM: \nBe brief.\nUSER: \nWhat?\n' }, files: [{ transfer_method: 'local_file', upload_file_id: 'file1' }] },
    ]);
    await scene.logs(1);
    const before = await scene.balance();
    scene.upstream.queue({ status: 400, error: { message: 'topic is required', type: 'invalid_request_error', code: null } });
    const refused = await scene.post('/v1/chat/completions', { model, messages: [user('Hi')] });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('topic is required')]);
    expect(await scene.balance()).toBe(before);
    await scene.checkBooks();
  });

  test('leave pictures and documents at the application before, for whoever asks', async () => {
    const { scene, app } = await openScene(engine);
    await using _scene = scene;
    scene.upstream.behave({ text: 'A dot.' });
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
    const pdf = { type: 'file', file: { filename: 'tide "1".pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } };
    for (const stream of [false, true]) {
      const response = await scene.post('/v1/chat/completions', { model, stream, user: 'u1', messages: [user([image, pdf])] });
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining(' dot.')]);
    }
    expect(app.left.map(({ fileName, type, bytes }) => [fileName, type, bytes.toString('base64')])).toEqual([
      ['image.png', 'image/png', 'iVBORw0KGgo='],
      ['tide 1.pdf', 'application/pdf', 'JVBERi0='],
      ['image.png', 'image/png', 'iVBORw0KGgo='],
      ['tide 1.pdf', 'application/pdf', 'JVBERi0='],
    ]);
    expect(new Set(app.left.map((left) => left.user))).toEqual(new Set([app.taken[0]?.['user']]));
    await scene.logs(2);
    await scene.checkBooks();
  });

  test('whose file is not taken are not made, and cost nothing', async () => {
    const { scene, app } = await openScene(engine);
    await using _scene = scene;
    const before = await scene.balance();
    app.refuseFiles();
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
    const refused = await scene.post('/v1/chat/completions', { model, messages: [user([image])] });
    expect([refused.status, await refused.text()]).toEqual([413, expect.stringContaining('File size exceeded')]);
    const many = Array.from({ length: 11 }, () => image);
    const tooMany = await scene.post('/v1/chat/completions', { model, messages: [user(many)] });
    expect([tooMany.status, await tooMany.text()]).toEqual([400, expect.stringContaining('10')]);
    expect(app.taken).toEqual([]);
    expect(await scene.balance()).toBe(before);
    await scene.checkBooks();
  });

  test('reserve the largest response, whatever limit they name', async () => {
    const { scene, taken } = await openScene(engine, { quota: 10 * 999 });
    await using _scene = scene;
    const response = await scene.chat({ model, max_tokens: 1 });
    expect(response.status).toBe(403);
    await response.text();
    expect(taken).toEqual([]);
    expect(await scene.balance()).toBe(10 * 999);
    await scene.checkBooks();
  });
});
