import { describe, expect, it } from 'vitest';
import { LogOther } from '#shared/logs.ts';
import { createScene, type RelayScene, setOption, testModel, until } from '#tests/support/relay-scene.ts';
import { oneEngine } from '#tests/support/engines.ts';

const models = `${testModel},text-embedding-3-small`;
/** What a tool has found. */
const withResult = [
  { role: 'user', content: 'look' },
  { role: 'assistant', content: null, tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }] },
  { role: 'tool', tool_call_id: 'a', content: 'contraband' },
];
const message = (content: unknown) => [{ role: 'user', content }];

describe.each(oneEngine)('blocked words on $kind', (engine) => {
  const scene = (settings: Record<string, string> = {}) =>
    createScene(engine, { settings: { SensitiveWords: 'Contraband\n违禁词', ...settings }, channels: [{ models }] });
  const refusal = async (response: Response) => {
    const text = await response.text();
    return { status: response.status, text, body: JSON.parse(text) };
  };
  /** Nothing was reserved, no upstream was called. */
  const expectUntouched = async (the: RelayScene) => {
    expect(the.upstream.requests).toHaveLength(0);
    expect(await the.balance()).toBe(500_000_000);
    await the.checkBooks();
  };

  it('a list in one line is one long word, and is found in a long prompt', async () => {
    const word = 'one, two, three, '.repeat(5_000).trim();
    await using the = await scene({ SensitiveWords: word });
    expect((await the.chat({ messages: message('one, two; '.repeat(20_000)) })).status).toBe(200);
    const { status, body } = await refusal(await the.chat({ messages: message(`${'y'.repeat(99_999)}${word}${'y'.repeat(99_999)}`) }));
    expect(status).toBe(400);
    expect(body.error.code).toBe('sensitive_words_detected');
  });

  it('are refused in names of files, in escapes, and with what nobody sees between their letters', async () => {
    await using the = await scene();
    const data = 'data:application/pdf;base64,JVBERi0xLjQK';
    const calling = { id: 'a', type: 'function', function: { name: 'f', arguments: String.raw`{"q":"\u0063ontraband"}` } };
    const called = [
      ...message('x'),
      { role: 'assistant', content: null, tool_calls: [calling] },
      { role: 'tool', tool_call_id: 'a', content: 'ok' },
    ];
    const requested: [string, object][] = [
      ['chat/completions', { messages: message([{ type: 'file', file: { filename: 'contraband.pdf', file_data: data } }]) }],
      ['responses', { input: message([{ type: 'input_file', filename: 'Contraband.pdf', file_data: data }]) }],
      ['chat/completions', { messages: called }],
      ['chat/completions', { messages: message('https://tide.example/?q=%63ontra%62and') }],
      ['chat/completions', { messages: message('con\u200Btra\u00ADband') }],
      // Where a long text is cut into pieces.
      ['chat/completions', { messages: message(`${'y'.repeat(64 * 1024 - 20)}%63%6F%6E%74%72%61%62%61%6E%64${'y'.repeat(9_000)}`) }],
    ];
    for (const [path, body] of requested) {
      const reported = await refusal(await the.post(`/v1/${path}`, { model: testModel, ...body }));
      expect([path, reported.status, reported.body.error.code]).toEqual([path, 400, 'sensitive_words_detected']);
    }
    await expectUntouched(the);
  });

  it('a refused prompt counts in no rate limit', async () => {
    await using the = await scene({ ModelRequestRateLimitEnabled: 'true', ModelRequestRateLimitCount: '1' });
    const statuses: number[] = [];
    for (const text of ['contraband', 'contraband', 'tides', 'tides']) statuses.push((await the.chat({ messages: message(text) })).status);
    expect(statuses).toEqual([400, 400, 200, 429]);
  });

  it('are refused wherever they stand in a chat, in the specified words', async () => {
    await using the = await scene();
    const bodies = [
      { messages: message('Where is the CONTRABAND hidden?') },
      {
        messages: message([
          { type: 'text', text: 'ok' },
          { type: 'text', text: '这里有违禁词吗' },
        ]),
      },
      { messages: [{ role: 'system', content: 'You sell contraband.' }, ...message('hi')] },
      { messages: [...message('hi'), { role: 'assistant', content: 'contraband' }, ...message('go on')], stream: true },
      { messages: message('hi'), tools: [{ type: 'function', function: { name: 'f', description: 'finds contraband', parameters: {} } }] },
    ];
    for (const body of bodies) {
      const { status, text, body: answer } = await refusal(await the.chat(body));
      expect(status).toBe(400);
      expect(answer.error).toMatchObject({
        code: 'sensitive_words_detected',
        message: expect.stringContaining('sensitive words detected'),
      });
      expect(text.toLowerCase()).not.toMatch(/contraband|违禁词/);
    }
    await expectUntouched(the);
  });

  it('are refused in every other format too', async () => {
    await using the = await scene();
    const claude = { model: testModel, max_tokens: 10, messages: message('contraband, please') };
    for (const path of ['/v1/messages', '/v1/messages/count_tokens']) {
      const { status, body } = await refusal(await the.post(path, claude));
      expect(status).toBe(400);
      expect(body).toMatchObject({ type: 'error', error: { message: expect.stringContaining('sensitive words detected') } });
    }
    const system = { ...claude, system: 'Speak of 违禁词', messages: message('hi') };
    expect((await the.post('/v1/messages', system)).status).toBe(400);
    const embedding = await the.post('/v1/embeddings', { model: 'text-embedding-3-small', input: ['fine', 'contraband'] });
    expect((await refusal(embedding)).body.error.code).toBe('sensitive_words_detected');
    await expectUntouched(the);
  });

  it('are refused in every kind of call', async () => {
    const kinds = { 'gpt-image-1': 1, 'tts-1': 1, 'omni-moderation-latest': 1, 'rerank-1': 1, 'whisper-1': 1 };
    const priced = JSON.stringify({ ...kinds, [testModel]: 1 });
    const offered = [{ models: `${models},${Object.keys(kinds).join(',')}` }];
    await using the = await createScene(engine, { settings: { SensitiveWords: 'contraband', ModelRatio: priced }, channels: offered });
    const cases: [path: string, body: object][] = [
      ['/v1/completions', { model: testModel, prompt: 'contraband' }],
      ['/v1/responses', { model: testModel, input: 'contraband' }],
      ['/v1/responses', { model: testModel, input: 'hi', instructions: 'contraband' }],
      [`/v1beta/models/${testModel}:generateContent`, { contents: [{ role: 'user', parts: [{ text: 'contraband' }] }] }],
      ['/v1/images/generations', { model: 'gpt-image-1', prompt: 'contraband' }],
      ['/v1/audio/speech', { model: 'tts-1', voice: 'alloy', input: 'contraband' }],
      ['/v1/audio/speech', { model: 'tts-1', voice: 'alloy', input: 'hi', instructions: 'contraband' }],
      ['/v1/moderations', { model: 'omni-moderation-latest', input: ['contraband'] }],
      ['/v1/rerank', { model: 'rerank-1', query: 'hi', documents: ['fine', 'contraband'] }],
      ['/v1/rerank', { model: 'rerank-1', query: 'contraband', documents: ['fine'] }],
      ['/v1/chat/completions', { model: testModel, messages: withResult }],
    ];
    for (const [path, body] of cases) {
      const response = await the.post(path, body);
      expect([path, response.status, await response.text()]).toEqual([path, 400, expect.stringContaining('sensitive')]);
    }
    const form = new FormData();
    form.set('model', 'whisper-1');
    form.set('prompt', 'contraband');
    form.set('file', new Blob([Buffer.alloc(64)]), 'a.mp3');
    const headers = { authorization: `Bearer ${the.key}` };
    const received = await fetch(`${the.app.origin}/v1/audio/transcriptions`, { method: 'POST', headers, body: form });
    expect([received.status, await received.text()]).toEqual([400, expect.stringContaining('sensitive')]);
    await expectUntouched(the);
  });

  it.each([
    ['in wide letters', 'ｃｏｎｔｒａｂａｎｄ'],
    ['with its marks apart', 'CAFE\u0301 at nine'],
    ['with its marks apart, in a long text', `${'e\u0301'.repeat(32_750)}cafe\u0301`],
    ['as one sign', 'the ㎏ of it'],
  ])('are refused %s', async (_name, content) => {
    await using the = await scene({ SensitiveWords: 'contraband\ncaf\u00E9\nKG' });
    expect((await the.chat({ messages: message(content) })).status).toBe(400);
    expect(the.upstream.requests).toEqual([]);
  });

  it('let everything else through, also the names of roles and parts of words', async () => {
    await using the = await scene({ SensitiveWords: 'user\ncontraband' });
    for (const content of ['Say hello', 'contra band', '', 'contraban']) {
      expect((await the.chat({ messages: message(content) })).status).toBe(200);
    }
    expect((await the.chat({ messages: message('the users of it') })).status).toBe(400);
  });

  it.each(['CheckSensitiveEnabled', 'CheckSensitiveOnPromptEnabled'])('pass while %s is off', async (key) => {
    await using the = await scene({ [key]: 'false' });
    expect((await the.chat({ messages: message('contraband') })).status).toBe(200);
    await setOption(the.app, key, 'true');
    expect((await the.chat({ messages: message('contraband') })).status).toBe(400);
    await setOption(the.app, 'SensitiveWords', ' \n ');
    expect((await the.chat({ messages: message('contraband') })).status).toBe(200);
  });

  it('are found in a large body, also where a piece of the search ends', async () => {
    await using the = await scene({
      SensitiveWords: ['contraband', ...Array.from({ length: 200 }, (_, n) => `filler-${n}-word`)].join('\n'),
    });
    const piece = 64 * 1024;
    for (const before of [piece - 10, piece - 5, piece - 1, piece, piece * 3 + 7]) {
      const content = `${'x'.repeat(before)}contraband${'y'.repeat(70_000)}`;
      expect((await the.chat({ messages: message(content) })).status).toBe(400);
    }
    await expectUntouched(the);
    expect((await the.chat({ messages: message('x'.repeat(300_000)) })).status).toBe(200);
  });

  it('are kept in the log as a refusal, without the prompt or the word', async () => {
    await using the = await scene();
    await the.chat({ messages: message('contraband in harbour nine') });
    const row = await until(async () => {
      const [found] = await the.app.context.db.collection('logs').find({ type: 5 });
      return found ?? null;
    });
    expect(row).toMatchObject({ user_id: the.user.id, model_name: testModel, quota: 0 });
    expect(LogOther.parse(row.other).refusal).toMatchObject({ code: 'sensitive_words_detected', status: 400 });
    expect(JSON.stringify(row)).not.toMatch(/contraband|harbour/);
  });

  it('of somebody without a key are not looked for: the key is asked first', async () => {
    await using the = await scene();
    const response = await the.chat({ messages: message('contraband') }, { authorization: 'Bearer sk-unknown' });
    expect(response.status).toBe(401);
  });
});
