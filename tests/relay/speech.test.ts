// Texts that are spoken, through a running server: bytes and events, what they are paid by, and what becomes of a sound that ends early.
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { mostSpoken } from '#server/kinds/audio/spoken-sound.ts';
import { spokenPieces, spokenSeconds, spokenUsage } from '#tests/support/audio-responses.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import { createScene, type RelayScene, type SceneOptions } from '#tests/support/relay-scene.ts';

/** $0.015 for a thousand characters: 7.5 a character. */
const byCharacter = 'tts-1';
/** The same as a price per call. */
const priced = 'priced-tts';
/** By tokens: 0.3 a token of text, 6 of sound. */
const metered = 'gpt-4o-mini-tts';
const models = [byCharacter, priced, metered, 'groq-tts'].join(',');
const settings = {
  RetryTimes: '1',
  ModelPrice: JSON.stringify({ [priced]: 0.015 }),
  ModelRatio: JSON.stringify({ [byCharacter]: 7.5, [metered]: 0.3, 'groq-tts': 5 }),
  AudioCompletionRatio: JSON.stringify({ [metered]: 20 }),
};
const input = 'The tide comes in. 潮起潮落。';
const characters = 24;
const whole = Buffer.concat(spokenPieces);
/** 14 × 0.3 + 101 × 6, rounded up. */
const meteredCost = 611;

describe.each(oneEngine)('speech on $kind', (engine) => {
  const open = (options: SceneOptions = {}) =>
    createScene(engine, { channels: [{ models }], ...options, settings: { ...settings, ...options.settings } });
  const sdk = ({ app, key }: RelayScene) => new OpenAI({ baseURL: `${app.origin}/v1`, apiKey: key, maxRetries: 0 });
  const speak = (scene: RelayScene, fields: object = {}, signal?: AbortSignal) =>
    sdk(scene).audio.speech.create({ model: byCharacter, voice: 'alloy', input, ...fields }, signal === undefined ? {} : { signal });
  const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());
  const eventsOf = async (response: Response) => {
    const text = await response.text();
    return text.split('\n\n').flatMap((event) => (event.startsWith('data: ') ? [JSON.parse(event.slice(6))] : []));
  };

  test('bytes pass as they come, paid by the character', async () => {
    await using scene = await open();
    const response = await speak(scene, { speed: 1.5 });
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    expect((await bytesOf(response)).equals(whole)).toBe(true);
    expect(scene.upstream.requests[0]).toMatchObject({
      path: '/v1/audio/speech',
      body: { model: byCharacter, voice: 'alloy', input, speed: 1.5 },
    });
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ quota: Math.ceil(characters * 7.5), prompt_tokens: characters, completion_tokens: 0, is_stream: true });
    expect(row?.other).toMatchObject({ units: { kind: 'character', count: characters, factor: 0.001 } });
    await scene.checkBooks();
  });

  test('a price per call is one of a thousand characters', async () => {
    await using scene = await open();
    await bytesOf(await speak(scene, { model: priced }));
    expect(await scene.logs(1)).toMatchObject([
      { quota: Math.ceil(characters * 7.5), other: { model_price: 0.015, units: { count: characters } } },
    ]);
    await scene.checkBooks();
  });

  test('a model that bills tokens is asked for events, which tell them; its caller gets bytes', async () => {
    await using scene = await open();
    const response = await speak(scene, { model: metered, instructions: 'slowly', response_format: 'opus' });
    expect(response.headers.get('content-type')).toBe('audio/ogg');
    expect((await bytesOf(response)).equals(whole)).toBe(true);
    expect(scene.upstream.requests[0]?.body).toMatchObject({ stream_format: 'sse', instructions: 'slowly' });
    expect(await scene.logs(1)).toMatchObject([
      {
        quota: meteredCost,
        prompt_tokens: 14,
        completion_tokens: 101,
        other: { audio_output: 101, audio_output_ratio: 20, completion_source: 'upstream' },
      },
    ]);
    await scene.checkBooks();
  });

  test.each([metered, byCharacter])('events are told, whether %s has them or not', async (model) => {
    await using scene = await open();
    const response = await speak(scene, { model, stream_format: 'sse' });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const events = await eventsOf(response);
    const sound = Buffer.concat(events.slice(0, -1).map(({ audio }) => Buffer.from(audio, 'base64')));
    expect(sound.equals(whole)).toBe(true);
    const usage = model === metered ? spokenUsage : { input_tokens: characters, output_tokens: 0, total_tokens: characters };
    expect(events.at(-1)).toEqual({ type: 'speech.audio.done', usage });
    await scene.checkBooks();
  });

  test('tokens that nobody tells are measured by the sound', async () => {
    await using scene = await open({ channels: [{ type: 40, models }] });
    expect((await bytesOf(await speak(scene, { model: metered }))).equals(whole)).toBe(true);
    expect(scene.upstream.requests[0]?.body).toEqual({ model: metered, voice: 'alloy', input });
    const [row] = await scene.logs(1);
    const tokens = Math.ceil((spokenSeconds * 1250) / 60);
    expect(row).toMatchObject({ completion_tokens: tokens, other: { audio_output: tokens, completion_source: 'estimated' } });
    expect(row?.quota).toBe(Math.ceil((row?.prompt_tokens ?? 0) * 0.3 + tokens * 6));
    await scene.checkBooks();
  });

  describe('of a provider that knows no events', () => {
    const refusal = {
      status: 400,
      error: { message: 'Unrecognized request argument supplied: stream_format', type: 'invalid_request_error' },
    };
    const formats = (scene: RelayScene) => scene.upstream.requests.map(({ body }) => (body as { stream_format?: string }).stream_format);

    test.each([{}, { stream_format: 'sse' }])(
      'the sound is asked for without them, measured, and so are the next: %j',
      async (requested) => {
        await using scene = await open({ channels: [{ models }], settings: { RetryTimes: '0' } });
        scene.upstream.queue(refusal);
        const said = await speak(scene, { model: metered, ...requested });
        if ('stream_format' in requested) expect((await eventsOf(said)).at(-1)).toMatchObject({ type: 'speech.audio.done' });
        else expect((await bytesOf(said)).equals(whole)).toBe(true);
        await (await speak(scene, { model: metered, ...requested })).arrayBuffer();
        expect(formats(scene)).toEqual(['sse', undefined, undefined]);
        const rows = await scene.logs(2);
        const tokens = Math.ceil((spokenSeconds * 1250) / 60);
        for (const { completion_tokens: completion, other } of rows) {
          expect({ completion, source: other?.completion_source }).toEqual({ completion: tokens, source: 'estimated' });
          expect(other?.attempts).toHaveLength(1);
        }
        await scene.checkBooks();
      },
    );

    test('what its caller has made it say changes nothing for others', async () => {
      await using scene = await open({ settings: { RetryTimes: '0' } });
      const quoted = { status: 400, error: { message: 'No such voice: stream_format', type: 'invalid_request_error', param: 'voice' } };
      scene.upstream.queue(quoted, quoted);
      expect(await failureOf(speak(scene, { model: metered, voice: 'stream_format' }))).toMatchObject({ status: 400, param: 'voice' });
      await bytesOf(await speak(scene, { model: metered }));
      expect(formats(scene)).toEqual(['sse', undefined, 'sse']);
      await scene.checkBooks();
    });

    test('a channel that is edited is asked for them anew', async () => {
      await using scene = await open({ settings: { RetryTimes: '0' } });
      scene.upstream.queue(refusal);
      await bytesOf(await speak(scene, { model: metered }));
      await scene.app.context.db.collection('channels').patch({ id: 1 }, { set: { name: 'renamed' } });
      await scene.app.context.channels.reload();
      await bytesOf(await speak(scene, { model: metered }));
      expect(formats(scene)).toEqual(['sse', undefined, 'sse']);
    });

    test('who leaves while it is asked again is charged nothing for what was refused', async () => {
      await using scene = await open({ settings: { RetryTimes: '0' } });
      scene.upstream.queue(refusal, { holdAfter: 1 });
      const leave = new AbortController();
      const reader = (await speak(scene, { model: metered }, leave.signal)).body?.getReader();
      await reader?.read();
      leave.abort();
      expect(await scene.logs(1)).toMatchObject([{ other: { ending: 'client_closed' } }]);
      expect(await scene.upstream.requests[1]?.closed).toBe('aborted');
      await scene.checkBooks();
    });
  });

  test('no event is asked for where bytes are to come', async () => {
    await using scene = await open();
    for (const model of [byCharacter, metered]) await bytesOf(await speak(scene, { model }));
    expect(scene.upstream.requests.map(({ headers }) => headers['accept'])).toEqual(['*/*', 'text/event-stream']);
  });

  test('the format is the one that the provider chose', async () => {
    await using scene = await open();
    const response = await speak(scene, { model: 'groq-tts' });
    expect(response.headers.get('content-type')).toBe('audio/wav');
    await bytesOf(response);
  });

  test('the first bytes arrive while the others are still made, and who leaves pays for the text and for the sound so far', async () => {
    await using scene = await open();
    scene.upstream.behave({ holdAfter: 2 });
    for (const model of [byCharacter, metered]) {
      const leave = new AbortController();
      const reader = (await speak(scene, { model }, leave.signal)).body?.getReader();
      const first = await reader?.read();
      expect(whole.subarray(0, first?.value?.length ?? 0).equals(Buffer.from(first?.value ?? []))).toBe(true);
      expect(first?.value?.length).toBeGreaterThan(0);
      leave.abort();
    }
    const [characterRow, tokenRow] = await scene.logs(2);
    expect(characterRow).toMatchObject({ quota: Math.ceil(characters * 7.5), other: { ending: 'client_closed' } });
    expect(tokenRow).toMatchObject({ other: { ending: 'client_closed', completion_source: 'estimated' } });
    expect(tokenRow?.completion_tokens).toBeGreaterThan(0);
    expect(tokenRow?.completion_tokens).toBeLessThan(Math.ceil((spokenSeconds * 1250) / 60));
    await scene.checkBooks();
  });

  test('while nothing comes nothing is said in its place, and a failure then breaks the connection off', async () => {
    await using scene = await open({ env: { STREAM_KEEPALIVE: '1' }, settings: { RetryTimes: '0' } });
    scene.upstream.queue({ firstByteDelay: 2500 }, { firstByteDelay: 1500, status: 500 });
    expect((await bytesOf(await speak(scene))).equals(whole)).toBe(true);
    await expect(speak(scene).then(bytesOf)).rejects.toThrow();
    expect((await scene.logs(2)).map(({ quota }) => quota)).toEqual([characters * 7.5, 0]);
    await scene.checkBooks();
  });

  test.each([byCharacter, metered])('a sound of %s that breaks off has no proper end, and is charged once', async (model) => {
    await using scene = await open();
    scene.upstream.behave({ cutAfter: 2 });
    await expect(speak(scene, { model }).then(bytesOf)).rejects.toThrow();
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ other: { ending: 'truncated' } });
    expect(row?.quota).toBeGreaterThan(0);
    await scene.checkBooks();
  });

  test('events that end without their last one are told as an error', async () => {
    await using scene = await open();
    scene.upstream.behave({ withoutDone: true });
    const events = await eventsOf(await speak(scene, { model: metered, stream_format: 'sse' }));
    expect(events.at(-1)).toMatchObject({ error: { code: 'upstream_truncated' } });
    await scene.checkBooks();
  });

  test.each([
    { status: 500 },
    { refuse: true },
    { garbage: 'html' as const },
    { garbage: 'error object' as const },
    { garbage: 'empty' as const },
  ])('a channel that fails (%j) costs nothing, and another one is asked', async (behaviour) => {
    await using scene = await open({ channels: [{ models, priority: 10 }, { models }] });
    scene.upstream.queue(behaviour);
    expect((await bytesOf(await speak(scene))).equals(whole)).toBe(true);
    const [row] = await scene.logs(1);
    expect(row?.other?.attempts).toHaveLength(2);
    expect(row?.quota).toBe(Math.ceil(characters * 7.5));
    await scene.checkBooks();
  });

  test('what it may cost is reserved before anything is sent', async () => {
    await using scene = await open({ quota: Math.ceil(characters * 7.5) });
    for (const [model, text] of [
      [byCharacter, `${input}!`],
      [priced, `${input}!`],
      [metered, input],
    ]) {
      expect(await failureOf(speak(scene, { model, input: text }))).toMatchObject({ status: 403, code: 'insufficient_user_quota' });
    }
    expect(scene.upstream.requests).toEqual([]);
    await bytesOf(await speak(scene));
    expect(await scene.balance()).toBe(0);
    await scene.checkBooks();
  });

  test('a model that may ignore its speed is reserved for as one that does', () => {
    const most = mostSpoken(metered, 4000, undefined);
    expect(mostSpoken(metered, 4000, 4)).toBe(most);
    expect(mostSpoken(metered, 4000, 0.5)).toBe(2 * most);
  });

  test('what cannot be meant is refused by its name, and nothing is sent', async () => {
    await using scene = await open({ settings: { SensitiveWords: 'contraband' } });
    const usual = { model: byCharacter, input, voice: 'alloy' };
    for (const [fields, param, code] of [
      [{ input: '' }, 'input', 'invalid_request'],
      [{ input: 7 }, 'input', 'invalid_request'],
      [{ input: 'a'.repeat(200_001) }, 'input', 'invalid_request'],
      [{ speed: 9 }, 'speed', 'invalid_request'],
      [{ stream_format: 'socket' }, 'stream_format', 'invalid_request'],
      [{ voice: { id: 'voice_1' } }, 'voice.id', 'account_object_refused'],
      [{ input: 'some contraband' }, '', 'sensitive_words_detected'],
    ] as const) {
      const refused = await scene.post('/v1/audio/speech', { ...usual, ...fields });
      expect([await refused.json(), refused.status]).toMatchObject([{ error: { param, code } }, 400]);
    }
    expect(scene.upstream.requests).toEqual([]);
  });

  test('a channel whose provider has no such call is not asked', async () => {
    await using scene = await open({ channels: [{ type: 14, models }] });
    expect(await failureOf(speak(scene))).toMatchObject({ status: 501, code: 'format_unsupported' });
    expect(await scene.app.context.db.collection('logs').find({ type: 2 })).toEqual([]);
  });
});
