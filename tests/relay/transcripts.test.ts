// Speech written down, through a running server: every form of a response, what it is paid by, and what is reserved for it.
import OpenAI, { toFile } from 'openai';
import { describe, expect, test } from 'vitest';
import { receivedText, transcriptionUsage, waveOf } from '#tests/support/audio-responses.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import { startRawUpstream } from '#tests/support/raw-upstream.ts';
import { createScene, type RelayScene, type SceneOptions } from '#tests/support/relay-scene.ts';

/** $0.006 a minute. */
const priced = 'whisper-1';
/** By tokens: 1.25 a token of text, 3 of sound, 5 of what is written. */
const metered = 'gpt-4o-transcribe';
/** Reports no cost: three a thousandth of a minute. */
const silent = 'whisper-large-v3';
const diarizing = 'gpt-4o-transcribe-diarize';
const models = [priced, metered, silent, diarizing].join(',');
const settings = {
  RetryTimes: '1',
  ModelPrice: JSON.stringify({ [priced]: 0.006 }),
  ModelRatio: JSON.stringify({ [metered]: 1.25, [diarizing]: 1.25, [silent]: 3, mapped: 1.25 }),
  CompletionRatio: JSON.stringify({ [metered]: 4, [diarizing]: 4 }),
  AudioRatio: JSON.stringify({ [metered]: 2.4, [diarizing]: 2.4 }),
};
/** 10 × 1.25 + 90 × 3 + 20 × 5, rounded up. */
const meteredCost = 383;
/** 9 seconds of a minute. */
const pricedCost = 450;

describe.each(oneEngine)('transcripts on $kind', (engine) => {
  const open = (options: SceneOptions = {}) =>
    createScene(engine, { channels: [{ models }], ...options, settings: { ...settings, ...options.settings } });
  const sdk = ({ app, key }: RelayScene) => new OpenAI({ baseURL: `${app.origin}/v1`, apiKey: key, maxRetries: 0 });
  const sound = (seconds = 8.47) => toFile(waveOf(seconds), 'tide.wav', { type: 'audio/wav' });
  const post = (scene: RelayScene, path: string, body: FormData, signal?: AbortSignal) =>
    fetch(`${scene.app.origin}/v1/audio/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${scene.key}` },
      body,
      ...(signal === undefined ? {} : { signal }),
    });
  const formOf = (...fields: readonly (readonly [string, string | Blob])[]) => {
    const made = new FormData();
    for (const [name, value] of fields) made.append(name, value);
    return made;
  };
  const blob = (bytes: Buffer) => new Blob([new Uint8Array(bytes)], { type: 'audio/wav' });

  test('a price is paid by the minute that the provider tells, in thousandths', async () => {
    await using scene = await open();
    const response = await sdk(scene).audio.transcriptions.create({
      model: priced,
      file: await sound(),
      language: 'en',
      prompt: 'tides',
      temperature: 0.2,
      timestamp_granularities: ['word', 'segment'],
    });
    expect(response).toEqual({ text: receivedText, usage: { type: 'duration', seconds: 9 } });
    const [sent] = scene.upstream.requests;
    expect(sent?.path).toBe('/v1/audio/transcriptions');
    expect(sent?.body).toEqual({
      model: priced,
      language: 'en',
      prompt: 'tides',
      temperature: '0.2',
      'timestamp_granularities[]': ['word', 'segment'],
    });
    expect(sent?.files[0]).toMatchObject({ name: 'file', filename: 'tide.wav', type: 'audio/wav' });
    expect(sent?.files[0]?.bytes.equals(waveOf(8.47))).toBe(true);
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ quota: pricedCost, prompt_tokens: 150, completion_tokens: 0, is_stream: false });
    expect(row?.other).toMatchObject({ units: { kind: 'minute', count: 150, factor: 0.001 }, prompt_source: 'upstream' });
    await scene.checkBooks();
  });

  test('tokens that are told are paid as those, of sound and of text', async () => {
    await using scene = await open();
    const response = await sdk(scene).audio.transcriptions.create({ model: metered, file: await sound(), include: ['logprobs'] });
    expect(response).toEqual({ text: receivedText, usage: transcriptionUsage });
    expect(scene.upstream.requests[0]?.body).toEqual({ model: metered, 'include[]': 'logprobs' });
    expect(await scene.logs(1)).toMatchObject([
      { quota: meteredCost, prompt_tokens: 100, completion_tokens: 20, other: { audio_input: 90, audio_ratio: 2.4 } },
    ]);
    await scene.checkBooks();
  });

  test.each([
    ['text', `${receivedText}\n`],
    ['srt', '1\n00:00:00,000 --> 00:00:04,320\nThe tide comes in.\n\n2\n00:00:04,320 --> 00:00:08,500\nIt goes out.\n\n'],
    ['vtt', 'WEBVTT\n\n00:00.000 --> 00:04.320\nThe tide comes in.\n\n00:04.320 --> 00:08.500\nIt goes out.\n\n'],
  ] as const)('%s is written of what the provider tells in JSON, which also tells its price', async (format, text) => {
    await using scene = await open();
    for (const model of [priced, silent]) {
      const requested = { model, file: await sound(), response_format: format };
      expect(await sdk(scene).audio.transcriptions.create(requested)).toBe(text);
      expect(await sdk(scene).audio.translations.create(requested)).toBe(text);
    }
    expect(scene.upstream.requests.map(({ path, body }) => [path, (body as { response_format: string }).response_format])).toEqual(
      [0, 1].flatMap(() =>
        ['transcriptions', 'translations'].map((path) => [`/v1/audio/${path}`, format === 'text' ? 'json' : 'verbose_json']),
      ),
    );
    expect((await scene.logs(4)).map(({ quota }) => quota)).toEqual([450, 450, 450, 450]);
    await scene.checkBooks();
  });

  test.each([
    { reported: { segments: [] }, end: '00:00:09,000' },
    { reported: { duration: 7.25 }, end: '00:00:07,250' },
    { reported: { segments: null, usage: { type: 'duration', seconds: 8 } }, end: '00:00:08,000' },
  ])('subtitles of a provider that tells no times are one, as long as the sound: %j', async ({ reported, end }) => {
    await using upstream = await startRawUpstream((response) => void response.end(JSON.stringify({ text: receivedText, ...reported })), {
      type: 'application/json',
    });
    await using scene = await open({ channels: [{ base_url: upstream.url, models }] });
    const requested = { model: silent, file: await sound(9), response_format: 'srt' } as const;
    expect(await sdk(scene).audio.transcriptions.create(requested)).toBe(`1\n00:00:00,000 --> ${end}\n${receivedText}\n\n`);
    await scene.checkBooks();
  });

  test('a sound without words has no subtitle', async () => {
    await using upstream = await startRawUpstream((response) => void response.end('{"text":" "}'), { type: 'application/json' });
    await using scene = await open({ channels: [{ base_url: upstream.url, models }] });
    const requested = { model: silent, file: await sound(), response_format: 'vtt' } as const;
    expect(await sdk(scene).audio.transcriptions.create(requested)).toBe('WEBVTT\n\n');
    await scene.checkBooks();
  });

  test('JSON passes as it came, with times and speakers', async () => {
    await using scene = await open();
    const verbose = await sdk(scene).audio.transcriptions.create({ model: silent, file: await sound(3), response_format: 'verbose_json' });
    expect(verbose).toMatchObject({ text: receivedText, duration: 8.47, segments: [{ id: 0, avg_logprob: -0.2 }, { id: 1 }] });
    const spoken = await sdk(scene).audio.transcriptions.create({
      model: diarizing,
      file: await sound(),
      response_format: 'diarized_json',
      chunking_strategy: 'auto',
      known_speaker_names: ['A'],
    });
    expect(spoken).toMatchObject({ segments: [{ speaker: 'A' }, { speaker: 'B' }] });
    const rows = await scene.logs(2);
    // The provider reports a duration although it bills none: that counts, and not the file's.
    expect(rows.map(({ quota }) => quota).toSorted((one, other) => one - other)).toEqual([meteredCost, 450]);
    await scene.checkBooks();
  });

  test('who tells nothing is paid by the length of the file', async () => {
    await using scene = await open();
    await sdk(scene).audio.transcriptions.create({ model: silent, file: await sound(59.2) });
    expect(await scene.logs(1)).toMatchObject([{ quota: 3000, prompt_tokens: 1000, completion_tokens: 0 }]);
    // By tokens, which are counted: 593 of sound, and what was written.
    scene.upstream.queue({ usage: 'none' });
    await sdk(scene).audio.transcriptions.create({ model: metered, file: await sound(59.2) });
    const [, row] = await scene.logs(2);
    expect(row).toMatchObject({ prompt_tokens: 592, other: { audio_input: 592, completion_source: 'counted' } });
    expect(row?.quota).toBe(592 * 3 + (row?.completion_tokens ?? 0) * 5);
    await scene.checkBooks();
  });

  test('streams pass as they come, and are paid by their last event', async () => {
    await using scene = await open();
    const stream = await sdk(scene).audio.transcriptions.create({ model: metered, file: await sound(), stream: true });
    const events = await Array.fromAsync(stream);
    expect(events.map((event) => (event.type === 'transcript.text.delta' ? event.delta : '')).join('')).toBe(receivedText);
    expect(events.at(-1)).toEqual({ type: 'transcript.text.done', text: receivedText, usage: transcriptionUsage });
    expect(scene.upstream.requests[0]?.body).toEqual({ model: metered, stream: 'true' });
    expect(await scene.logs(1)).toMatchObject([{ quota: meteredCost, is_stream: true }]);
    await scene.checkBooks();
  });

  test('a model that does not stream is told as a stream', async () => {
    await using scene = await open();
    const stream = await sdk(scene).audio.transcriptions.create({ model: priced, file: await sound(), stream: true });
    expect(await Array.fromAsync(stream)).toEqual([
      { type: 'transcript.text.delta', delta: receivedText },
      { type: 'transcript.text.done', text: receivedText, usage: { type: 'duration', seconds: 9 } },
    ]);
    expect(await scene.logs(1)).toMatchObject([{ quota: pricedCost, is_stream: true }]);
    await scene.checkBooks();
  });

  test('who leaves a stream pays for the sound and for what was written', async () => {
    await using scene = await open();
    scene.upstream.behave({ holdAfter: 3 });
    const leave = new AbortController();
    const response = await post(
      scene,
      'transcriptions',
      formOf(['model', metered], ['file', blob(waveOf(60))], ['stream', 'true']),
      leave.signal,
    );
    await response.body?.getReader().read();
    leave.abort();
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ prompt_tokens: 600, other: { audio_input: 600, ending: 'client_closed' } });
    expect(row?.completion_tokens).toBeGreaterThan(0);
    expect(row?.quota).toBe(600 * 3 + (row?.completion_tokens ?? 0) * 5);
    await scene.checkBooks();
  });

  test('a stream that breaks is charged once, and its caller is told', async () => {
    await using scene = await open();
    scene.upstream.behave({ cutAfter: 3 });
    const stream = await sdk(scene).audio.transcriptions.create({ model: metered, file: await sound(60), stream: true });
    await expect(Array.fromAsync(stream)).rejects.toThrow();
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ prompt_tokens: 600, other: { ending: 'truncated' } });
    await scene.checkBooks();
  });

  test('another channel gets the same sound, and only what answered is paid', async () => {
    await using scene = await open({
      channels: [
        { models: metered, priority: 10 },
        {
          models: metered,
          model_mapping: JSON.stringify({ [metered]: 'gpt-4o-mini-transcribe' }),
          param_override: JSON.stringify({ language: 'de' }),
        },
      ],
    });
    scene.upstream.queue({ status: 500 });
    const large = waveOf(60);
    await sdk(scene).audio.transcriptions.create({ model: metered, file: await toFile(large, 'tide.wav'), response_format: 'text' });
    const [first, second] = scene.upstream.requests;
    expect(first?.body).toEqual({ model: metered, response_format: 'json' });
    expect(second?.body).toEqual({ model: 'gpt-4o-mini-transcribe', response_format: 'json', language: 'de' });
    expect(second?.files[0]?.bytes.equals(large)).toBe(true);
    expect(scene.app.context.bodies.bytes).toBe(0);
    expect(await scene.logs(1)).toMatchObject([{ quota: meteredCost }]);
    await scene.checkBooks();
  });

  test('the length of the sound is reserved for before anything is sent', async () => {
    // Ten minutes are 30,000 by price, and 18,000 by tokens without what is written.
    await using scene = await open({ quota: 17_999 });
    for (const model of [priced, silent, metered]) {
      expect(await failureOf(sdk(scene).audio.transcriptions.create({ model, file: await sound(600) }))).toMatchObject({
        status: 403,
        code: 'insufficient_user_quota',
      });
    }
    expect(scene.upstream.requests).toEqual([]);
    await sdk(scene).audio.transcriptions.create({ model: priced, file: await sound() });
    expect(await scene.balance()).toBe(17_999 - pricedCost);
    await scene.checkBooks();
  });

  test('a sound of unknown length is reserved for by its size', async () => {
    await using scene = await open({ quota: 10_000 });
    // At the fewest bits there are, more than four minutes.
    const unknown = await toFile(Buffer.alloc(200_000, 7), 'tide.webm', { type: 'audio/webm' });
    expect(await failureOf(sdk(scene).audio.transcriptions.create({ model: priced, file: unknown }))).toMatchObject({ status: 403 });
    await sdk(scene).audio.transcriptions.create({ model: priced, file: await toFile(Buffer.alloc(20_000, 7), 'tide.webm') });
    expect(await scene.logs(1)).toMatchObject([{ quota: pricedCost }]);
    await scene.checkBooks();
  });

  test('what passes through as it is may answer with a text, and is paid by the length of the file', async () => {
    await using scene = await open({ settings: { 'global.pass_through_request_enabled': 'true' } });
    const reported = await sdk(scene).audio.transcriptions.create({ model: priced, file: await sound(30), response_format: 'text' });
    expect(reported).toBe(`${receivedText}\n`);
    expect(scene.upstream.requests[0]?.body).toEqual({ model: priced, response_format: 'text' });
    expect(await scene.logs(1)).toMatchObject([{ quota: 1500 }]);
    await scene.checkBooks();
  });

  test('what cannot be meant is refused by its name, and nothing is sent', async () => {
    await using scene = await open({ settings: { SensitiveWords: 'contraband' } });
    const file = blob(waveOf(1));
    const usual = [
      ['model', priced],
      ['file', file],
    ] as const;
    for (const [path, body, param, code] of [
      ['transcriptions', formOf(['model', priced]), 'file', 'invalid_request'],
      ['transcriptions', formOf(['model', priced], ['file', 'a text']), 'file', 'invalid_request'],
      ['transcriptions', formOf(...usual, ['file', file]), 'file', 'invalid_request'],
      ['transcriptions', formOf(...usual, ['response_format', 'mp3']), 'response_format', 'invalid_request'],
      ['transcriptions', formOf(...usual, ['Response_Format', 'text']), 'Response_Format', 'invalid_request'],
      ['transcriptions', formOf(...usual, ['stream', 'yes']), 'stream', 'invalid_request'],
      ['transcriptions', formOf(...usual, ['model', metered]), 'model', 'invalid_request'],
      ['transcriptions', formOf(...usual, ['file_id', 'file-1']), 'file_id', 'account_object_refused'],
      ['transcriptions', formOf(...usual, ['file_url', 'https://a.example/b.mp3']), 'file_url', 'invalid_request'],
      ['transcriptions', formOf(...usual, ['prompt', 'some contraband']), '', 'sensitive_words_detected'],
      ['translations', formOf(...usual, ['response_format', 'diarized_json']), 'response_format', 'invalid_request'],
    ] as const) {
      const refused = await post(scene, path, body);
      expect([await refused.json(), refused.status]).toMatchObject([{ error: { param, code } }, 400]);
    }
    expect(await (await scene.post('/v1/audio/transcriptions', { model: priced })).json()).toMatchObject({ error: { param: 'file' } });
    expect(scene.upstream.requests).toEqual([]);
    expect(scene.app.context.bodies.bytes).toBe(0);
  });

  test('words that the site blocks are not told, in any form', async () => {
    await using scene = await open({ settings: { SensitiveWords: 'contraband', StopOnSensitiveEnabled: 'true', RetryTimes: '0' } });
    scene.upstream.behave({ text: 'It is contraband, they say.' });
    for (const format of ['json', 'text'] as const) {
      const failure = await failureOf(
        sdk(scene).audio.transcriptions.create({ model: metered, file: await sound(), response_format: format }),
      );
      expect(failure).toMatchObject({ code: 'output_blocked' });
    }
    const stream = await sdk(scene).audio.transcriptions.create({ model: metered, file: await sound(), stream: true });
    await expect(Array.fromAsync(stream)).rejects.toThrow();
    expect((await scene.logs(3)).map(({ other }) => other?.ending)).toEqual(['blocked_words', 'blocked_words', 'blocked_words']);
    await scene.checkBooks();
  });

  test('a channel whose provider has no such call is not asked', async () => {
    await using scene = await open({ channels: [{ type: 14, models: metered }] });
    const refusal = await failureOf(sdk(scene).audio.transcriptions.create({ model: metered, file: await sound() }));
    expect(refusal).toMatchObject({ status: 501, code: 'format_unsupported' });
    expect(await scene.app.context.db.collection('logs').find({ type: 2 })).toEqual([]);
  });

  test('who names no model gets the usual one', async () => {
    await using scene = await open();
    expect(await (await post(scene, 'translations', formOf(['file', blob(waveOf(1))]))).json()).toMatchObject({ text: receivedText });
    expect(scene.upstream.requests[0]).toMatchObject({ path: '/v1/audio/translations', body: {} });
    expect(await scene.logs(1)).toMatchObject([{ model_name: priced }]);
  });
});
