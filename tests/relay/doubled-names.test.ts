// Readers of JSON differ in what a name means that stands twice, or in capitals. What is reserved is what goes upstream: such bodies
// are refused, before anything is reserved or sent.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createToken } from '#tests/support/build-token.ts';
import { embeddedEngine, oneEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene, testModel, until } from '#tests/support/relay-scene.ts';

const claudeModel = 'claude-opus-5';
const message = '{"role":"user","content":"Say hello"}';
const chat = (fields: string) => `{"model":"${testModel}","messages":[${message}]${fields}}`;
const claude = (fields: string) => `{"model":"${claudeModel}","messages":[${message}],"max_tokens":16${fields}}`;

/** Path, what the body has, and the name that is refused. */
const refused: readonly [path: string, body: string, name: string][] = [
  // Limits.
  ['/v1/chat/completions', chat(',"max_tokens":1,"MAX_TOKENS":16000'), 'MAX_TOKENS'],
  ['/v1/chat/completions', chat(',"MAX_TOKENS":16000'), 'MAX_TOKENS'],
  ['/v1/chat/completions', chat(',"max_tokens":1,"max_tokens":16000'), 'max_tokens'],
  ['/v1/chat/completions', chat(',"max_tokens":1,"max_to\\u006bens":16000'), 'max_tokens'],
  ['/v1/chat/completions', chat(',"max_to\\u006bens":16000'), 'max_tokens'],
  // Letters that fold to others: the Kelvin sign and the long s.
  ['/v1/chat/completions', chat(',"max_tokens":1,"max_to\u212aens":16000'), 'max_to\u212aens'],
  ['/v1/chat/completions', chat(',"max_tokens":1,"max_token\u017f":16000'), 'max_token\u017f'],
  ['/v1/chat/completions', chat(',"Max_Completion_Tokens":16000'), 'Max_Completion_Tokens'],
  // Model, stream, count.
  ['/v1/chat/completions', chat(',"MODEL":"gpt-4o"'), 'MODEL'],
  ['/v1/chat/completions', chat(',"model":"gpt-4o"'), 'model'],
  ['/v1/chat/completions', chat(',"\\u006dodel":"gpt-4o"'), 'model'],
  ['/v1/chat/completions', chat(',"Stream":true'), 'Stream'],
  ['/v1/chat/completions', chat(',"N":5'), 'N'],
  ['/v1/chat/completions', chat(',"service_Tier":"priority"'), 'service_Tier'],
  // What is sent, at every depth.
  ['/v1/chat/completions', chat(`,"MESSAGES":[${message}]`), 'MESSAGES'],
  ['/v1/chat/completions', chat(',"stream":true,"stream_options":{"include_usage":true,"include_usage":false}'), 'include_usage'],
  ['/v1/chat/completions', chat(',"stream":true,"stream_options":{"Include_Usage":false}'), 'Include_Usage'],
  ['/v1/chat/completions', chat(',"stream":true,"Stream_options":{}'), 'Stream_options'],
  ['/v1/chat/completions', `{"model":"${testModel}","messages":[{"role":"user","content":"short","content":"long"}]}`, 'content'],
  ['/v1/chat/completions', `{"model":"${testModel}","messages":[{"role":"user","content":"short","CONTENT":"long"}]}`, 'CONTENT'],
  [
    '/v1/chat/completions',
    `{"model":"${testModel}","messages":[{"role":"user","content":[{"type":"text","text":"short","Text":"long"}]}]}`,
    'Text',
  ],
  [
    '/v1/chat/completions',
    chat(',"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","type":"x"}}}]'),
    'type',
  ],
  ['/v1/embeddings', `{"model":"${testModel}","input":"a","INPUT":"long"}`, 'INPUT'],
  ['/v1/embeddings', `{"model":"${testModel}","input":"a","input":"long"}`, 'input'],
  // A cache that is written costs more.
  [
    '/v1/chat/completions',
    `{"model":"${testModel}","messages":[{"role":"user","content":[{"type":"text","text":"long","Cache_Control":{"type":"ephemeral"}}]}]}`,
    'Cache_Control',
  ],
  [
    '/v1/chat/completions',
    `{"model":"${testModel}","messages":[${message}],"cache_control":{"type":"ephemeral","ttl":"5m","TTL":"1h"}}`,
    'TTL',
  ],
  ['/v1/chat/completions', chat(',"response_format":{"type":"json_schema","Json_Schema":{"name":"a","schema":{}}}'), 'Json_Schema'],
  ['/v1/embeddings', `{"model":"${testModel}","input":"a","DIMENSIONS":9}`, 'DIMENSIONS'],
  // Claude.
  ['/v1/messages', claude(',"MCP_servers":[]'), 'MCP_servers'],
  ['/v1/messages', claude(',"Max_tokens":128000'), 'Max_tokens'],
  ['/v1/messages', claude(',"max_tokens":128000'), 'max_tokens'],
  ['/v1/messages', claude(',"thinking":{"type":"enabled","budget_tokens":1024,"BUDGET_TOKENS":64000}'), 'BUDGET_TOKENS'],
  ['/v1/messages', claude(',"System":"long"'), 'System'],
  ['/v1/messages/count_tokens', claude(',"System":"long"'), 'System'],
  // Other models, other objects, other bills.
  ['/v1/messages', claude(',"Fallbacks":[{"model":"claude-fable-5"}]'), 'Fallbacks'],
  ['/v1/messages', claude(',"container":{"SKILLS":[{"type":"custom","skill_id":"skill_1"}]}'), 'SKILLS'],
  ['/v1/messages', claude(',"CONTAINER":"container_1"'), 'CONTAINER'],
  ['/v1/messages', claude(',"Thread":{"type":"continue","previous_message_id":"msg_1"}'), 'Thread'],
  ['/v1/messages', claude(',"thread":{"type":"continue","Previous_Message_Id":"msg_1"}'), 'Previous_Message_Id'],
  ['/v1/messages', claude(',"Compaction":{"type":"summarize"}'), 'Compaction'],
  ['/v1/chat/completions', chat(',"Models":["gpt-4o"]'), 'Models'],
  ['/v1/chat/completions', chat(',"Prompt_cache_options":{"ttl":"24h"}'), 'Prompt_cache_options'],
  [
    '/v1/responses',
    `{"model":"${testModel}","input":"hi","tools":[{"type":"file_search","Vector_store_ids":["vs_1"]}]}`,
    'Vector_store_ids',
  ],
];

describe('names that some readers take for others', () => {
  let scene: RelayScene;
  beforeAll(async () => {
    const models = `${testModel},${claudeModel}`;
    // By bytes, with edits of the operator's, and translated: nothing of it reaches any of them.
    scene = await createScene(embeddedEngine, {
      channels: [{ models }, { models, param_override: '{"top_p":1}', priority: 1 }, { type: 14, models, priority: 2 }],
    });
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  test.each(refused)('%s %s', async (path, body, name) => {
    const before = await scene.balance();
    const response = await scene.post(path, body, { 'accept-language': 'en' });
    const text = await response.text();
    expect({ status: response.status, text }).toMatchObject({ status: 400 });
    expect(text).toContain(name);
    expect(text).toMatch(/must be written|may stand only once/);
    expect(scene.upstream.requests).toEqual([]);
    expect(await scene.balance()).toBe(before);
  });

  test('in a body that is parsed in its turn', async () => {
    const long = 'word '.repeat(200_000);
    for (const last of ['"MAX_TOKENS":9', '"model":"gpt-4o"']) {
      const body = `{"model":"${testModel}","messages":[{"role":"user","content":"${long}"}],${last}}`;
      expect((await scene.post('/v1/chat/completions', body)).status).toBe(400);
    }
    expect(scene.upstream.requests).toEqual([]);
  });

  test('in Chinese, with the field in its place', async () => {
    const response = await scene.post('/v1/chat/completions', chat(',"MODEL":"gpt-4o"'), { 'accept-language': 'zh' });
    const { error } = await response.json();
    expect(error).toMatchObject({ param: 'MODEL', type: 'invalid_request_error' });
    expect(error.message).toContain('MODEL 必须写作 model');
  });
});

test('names of the caller’s own go upstream as they are: schemas, arguments, marks, fields that nobody knows', async () => {
  await using scene = await createScene(embeddedEngine);
  const schema = { type: 'object', properties: { Model: { type: 'string' }, MODEL: { type: 'string' }, 'max\u005ftokens': {} } };
  const body = {
    model: testModel,
    messages: [
      { role: 'user', content: 'Say hello' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"N":1,"N":2}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: '{"model":1,"MODEL":2}' },
    ],
    tools: [{ type: 'function', function: { name: 'f', parameters: schema } }],
    metadata: { Model: 'a', model: 'b' },
    logit_bias: { '50256': -100 },
    Unknown: { A: 1, a: 2 },
    guided_json: { $defs: { Text: { type: 'string' }, Role: { type: 'string' } }, type: 'object' },
    '\u00fcber': 1,
  };
  const text = JSON.stringify(body).replace('über', '\\u00fcber');
  expect((await scene.post('/v1/chat/completions', text)).status).toBe(200);
  expect(scene.upstream.requests[0]?.body).toEqual(body);
});

test('a drawing names what it costs once', async () => {
  await using scene = await createScene(embeddedEngine, { settings: { DrawingEnabled: 'true' } });
  const response = await scene.post('/mj/submit/change', '{"taskId":"1","action":"UPSCALE","index":1,"ACTION":"VARIATION"}');
  expect(response.status).toBe(400);
  expect(await response.text()).toContain('ACTION');
});

describe.each(oneEngine)('an upstream that heeds no limits on $kind', (engine) => {
  /** One token of either kind costs 10. */
  const model = 'sea-1';
  const settings = { ModelRatio: JSON.stringify({ [model]: 10 }), CompletionRatio: JSON.stringify({ [model]: 1 }) };
  const channels = [{ models: model, name: 'leaky' }];

  test('costs at most what was under way: the next calls wait for the charge, and are refused', async () => {
    await using scene = await createScene(engine, { settings, channels, quota: 5_000 });
    await scene.app.setup();
    scene.upstream.behave({ usage: { prompt_tokens: 10, completion_tokens: 400, total_tokens: 410 } });
    const call = async () => (await scene.chat({ model, max_tokens: 1 })).status;
    // Each reserves the prompt and one token, so that about fifty of them are under way at once.
    const first = await Promise.all(Array.from({ length: 100 }, call));
    const sent = scene.upstream.requests.length;
    expect(first).toContain(200);
    expect(sent).toBeLessThan(60);
    expect(await scene.balance()).toBeLessThanOrEqual(0);
    // Later calls see the account's actual state.
    expect(new Set(await Promise.all(Array.from({ length: 20 }, call)))).toEqual(new Set([403]));
    expect(scene.upstream.requests).toHaveLength(sent);
    await scene.checkBooks();
    const notices = () => scene.app.context.db.collection('notifications').find({});
    await until(async () => (await notices()).length > 0);
    expect((await notices()).map(({ event }) => event)).toEqual([
      expect.objectContaining({ code: 'limit_ignored', name: 'leaky', model, limit: 1 }),
    ]);
  });

  test('a call that comes while a charge is settled waits for it', async () => {
    await using scene = await createScene(engine, { settings, channels, quota: 3_000 });
    scene.upstream.behave({ usage: { prompt_tokens: 10, completion_tokens: 400, total_tokens: 410 } });
    const { db } = scene.app.database;
    const write = db.write.bind(db);
    let next: Promise<number> | undefined;
    // While the first charge is on its way to the disk.
    db.write = async (writes) => {
      const isCharge = writes.some((one) => 'insert' in one && one.into === 'logs');
      if (isCharge && next === undefined) next = scene.chat({ model, max_tokens: 1 }).then(({ status }) => status);
      return write(writes);
    };
    await scene.chat({ model, max_tokens: 1 });
    expect(await next).toBe(403);
    expect(scene.upstream.requests).toHaveLength(1);
    await scene.checkBooks();
  });

  test('what one account sends teaches nothing about others', async () => {
    await using scene = await createScene(engine, { settings, channels });
    scene.upstream.behave({ usage: { prompt_tokens: 10, completion_tokens: 400, total_tokens: 410 } });
    await scene.chat({ model, max_tokens: 1 });
    scene.upstream.behave({ text: 'Hello' });
    const thin = await scene.app.createUser({ quota: 2_000 });
    const { key } = await createToken(scene.app.context, thin.id, {});
    const honest = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const response = await scene.chat({ model, max_tokens: 8 }, { authorization: `Bearer ${key}` });
        return response.status;
      }),
    );
    expect(new Set(honest)).toEqual(new Set([200]));
  });

  test.each([{ max_tokens: 0 }, { max_tokens: -1 }, { max_completion_tokens: 0 }])('%j is refused, as its vendor does', async (limit) => {
    await using scene = await createScene(engine);
    expect((await scene.chat(limit)).status).toBe(400);
    expect(scene.upstream.requests).toEqual([]);
  });

  test('null is no limit', async () => {
    await using scene = await createScene(engine);
    expect((await scene.chat({ max_tokens: null })).status).toBe(200);
  });
});
