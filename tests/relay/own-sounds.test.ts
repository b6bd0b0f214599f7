// Sounds of providers with forms of their own, through a running server: spoken as OpenAI's callers know it, and written down.
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { wavHead } from '#server/kinds/audio/wav-head.ts';
import { spokenPieces } from '#tests/support/audio-responses.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { startFakeInternet } from '#tests/support/fake-internet.ts';
import {
  countedTwice,
  type FakeSpeaker,
  type SpeakerName,
  spokenSamples,
  spokenSound,
  startFakeSpeaker,
} from '#tests/support/fake-speakers.ts';
import { createScene } from '#tests/support/relay-scene.ts';
import { trustLocalhost } from '#tests/support/trust-localhost.ts';

const input = 'The tide comes in. 潮起潮落。';
const characters = 24;
const twice = countedTwice(input);
const wav = Buffer.concat([wavHead(24_000, spokenSamples.length), spokenSamples]);

describe.each(oneEngine)('sounds in forms of their own on $kind', (engine) => {
  let distrust = () => {};
  beforeAll(() => {
    distrust = trustLocalhost();
  });
  afterAll(() => distrust());

  async function open(
    name: SpeakerName,
    model: string,
    options: { quota?: number; settings?: Record<string, string>; models?: string } = {},
  ) {
    const internet = await startFakeInternet();
    internet.serve((_visit, response) => response.writeHead(200, { 'content-type': 'audio/wav' }).end(wav));
    let speaker: FakeSpeaker | undefined;
    const scene = await createScene(engine, {
      network: internet.network,
      ...(options.quota === undefined ? {} : { quota: options.quota }),
      settings: {
        RetryTimes: '0',
        ModelRatio: JSON.stringify({ [model]: 2 }),
        ModelPrice: '{}',
        AudioRatio: '{}',
        AudioCompletionRatio: JSON.stringify({ [model]: 10 }),
        CompletionRatio: JSON.stringify({ [model]: 3 }),
        ...options.settings,
      },
      channels: [{ models: options.models ?? model }],
      front: async (url) => (speaker = await startFakeSpeaker(name, url)),
    });
    if (speaker === undefined) throw new Error('There is no speaker');
    const client = new OpenAI({ baseURL: `${scene.app.origin}/v1`, apiKey: scene.key, maxRetries: 0 });
    const dispose = async () => {
      await scene[Symbol.asyncDispose]();
      await internet[Symbol.asyncDispose]();
    };
    return { scene, client, speaker, internet, [Symbol.asyncDispose]: dispose };
  }

  const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

  test.each([
    {
      name: 'minimax',
      model: 'speech-2.6-hd',
      requested: { voice: 'alloy', response_format: 'opus', speed: 3 },
      sent: {
        model: 'speech-2.6-hd',
        text: input,
        stream: true,
        stream_options: { exclude_aggregated_audio: true },
        output_format: 'hex',
        voice_setting: { voice_id: 'male-qn-qingse', speed: 2 },
        audio_setting: { format: 'mp3', channel: 1 },
      },
      dropped: 'voice, response_format',
      sound: spokenSound,
      type: 'audio/mpeg',
      paid: { prompt_tokens: twice, completion_tokens: 0, quota: twice * 2 },
    },
    {
      name: 'minimax',
      model: 'speech-2.6-hd',
      requested: { voice: 'English_Trustworth_Man', response_format: 'wav' },
      sent: {
        model: 'speech-2.6-hd',
        text: input,
        stream: false,
        output_format: 'hex',
        voice_setting: { voice_id: 'English_Trustworth_Man' },
        audio_setting: { format: 'wav', channel: 1 },
      },
      dropped: null,
      sound: wav,
      type: 'audio/wav',
      paid: { prompt_tokens: twice, completion_tokens: 0, quota: twice * 2 },
    },
    {
      name: 'volc',
      model: 'seed-tts-2.0',
      requested: { voice: 'alloy', response_format: 'wav', speed: 0.25 },
      sent: {
        req_params: {
          text: input,
          speaker: 'zh_female_vv_uranus_bigtts',
          audio_params: { format: 'mp3', sample_rate: 24_000, speech_rate: -50 },
        },
      },
      dropped: 'voice, response_format',
      sound: spokenSound,
      type: 'audio/mpeg',
      paid: { prompt_tokens: twice, completion_tokens: 0, quota: twice * 2 },
    },
    {
      name: 'mistral',
      model: 'voxtral-mini-tts-2603',
      requested: { voice: 'alloy', speed: 2 },
      sent: { model: 'voxtral-mini-tts-2603', input, voice_id: 'en_paul_neutral', response_format: 'mp3', stream: true },
      dropped: 'voice, speed',
      sound: spokenSound,
      type: 'audio/mpeg',
      paid: { prompt_tokens: characters, completion_tokens: 0, quota: characters * 2 },
    },
    {
      name: 'mistral',
      model: 'voxtral-mini-tts-2603',
      requested: { voice: 'fr_marie_neutral', response_format: 'pcm' },
      sent: { model: 'voxtral-mini-tts-2603', input, voice_id: 'fr_marie_neutral', response_format: 'wav', stream: true },
      dropped: null,
      sound: spokenSamples,
      type: 'audio/pcm',
      paid: { prompt_tokens: characters, completion_tokens: 0, quota: characters * 2 },
    },
    {
      name: 'google',
      model: 'gemini-2.5-flash-preview-tts',
      requested: { voice: 'Puck', instructions: 'Slowly' },
      sent: {
        contents: [{ role: 'user', parts: [{ text: `Slowly: ${input}` }] }],
        generationConfig: {
          responseModalities: ['AUDIO'],
          speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Puck' } } },
        },
      },
      dropped: null,
      sound: wav,
      type: 'audio/wav',
      paid: { prompt_tokens: 11, completion_tokens: 50, quota: 11 * 2 + 50 * 2 * 10 },
    },
    {
      name: 'google',
      model: 'gemini-2.5-flash-preview-tts',
      requested: { voice: 'nova', response_format: 'pcm' },
      sent: {
        contents: [{ role: 'user', parts: [{ text: input }] }],
        generationConfig: {
          responseModalities: ['AUDIO'],
          speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
        },
      },
      dropped: 'voice',
      sound: spokenSamples,
      type: 'audio/pcm',
      paid: { prompt_tokens: 11, completion_tokens: 50, quota: 11 * 2 + 50 * 2 * 10 },
    },
    {
      name: 'dashscope',
      model: 'qwen3-tts-flash',
      requested: { voice: 'Ethan', response_format: 'wav', language_type: 'Chinese' },
      sent: { model: 'qwen3-tts-flash', input: { text: input, voice: 'Ethan', language_type: 'Chinese' } },
      dropped: null,
      sound: wav,
      type: 'audio/wav',
      paid: { prompt_tokens: twice, completion_tokens: 0, quota: twice * 2 },
    },
    {
      name: 'zhipu',
      model: 'glm-tts',
      requested: { voice: 'alloy', speed: 0.25 },
      sent: { model: 'glm-tts', input, voice: 'tongtong', response_format: 'wav', speed: 0.5 },
      dropped: 'voice',
      sound: Buffer.concat([Buffer.from('RIFF'), spokenSamples]),
      type: 'audio/wav',
      paid: { prompt_tokens: characters, completion_tokens: 0, quota: characters * 2 },
    },
  ] as const)('$name speaks as $model: $asked', async ({ name, model, requested, sent, dropped, sound, type, paid }) => {
    await using at = await open(name, model);
    const response = await at.scene.post('/v1/audio/speech', { model, input, ...requested });
    expect([response.status, response.headers.get('content-type'), response.headers.get('x-tidegate-dropped')]).toEqual([
      200,
      type,
      dropped,
    ]);
    expect((await bytesOf(response)).equals(sound)).toBe(true);
    expect(at.speaker.taken).toEqual([sent]);
    expect(await at.scene.logs(1)).toMatchObject([paid]);
    await at.scene.checkBooks();
  });

  test('events tell the sound and what it took, of whoever speaks', async () => {
    await using at = await open('google', 'gemini-2.5-pro-preview-tts');
    const body = { model: 'gemini-2.5-pro-preview-tts', input, voice: 'Kore', response_format: 'pcm', stream_format: 'sse' };
    const response = await at.scene.post('/v1/audio/speech', body);
    const events = (await response.text())
      .split('\n\n')
      .flatMap((event) => (event.startsWith('data: ') ? [JSON.parse(event.slice(6))] : []));
    const sound = events.flatMap(({ type, audio }) => (type === 'speech.audio.delta' ? [Buffer.from(audio, 'base64')] : []));
    expect(Buffer.concat(sound).equals(spokenSamples)).toBe(true);
    expect(events.at(-1)).toEqual({ type: 'speech.audio.done', usage: { input_tokens: 11, output_tokens: 50, total_tokens: 61 } });
    expect(await at.scene.logs(1)).toMatchObject([{ prompt_tokens: 11, completion_tokens: 50 }]);
    await at.scene.checkBooks();
  });

  const eventsOf = async (response: Response) =>
    (await response.text()).split('\n\n').flatMap((event) => (event.startsWith('data: ') ? [JSON.parse(event.slice(6))] : []));

  test.each([
    { name: 'minimax', model: 'speech-2.6-hd', counted: twice },
    { name: 'mistral', model: 'voxtral-mini-tts-2603', counted: characters },
    { name: 'volc', model: 'seed-tts-2.0', counted: twice },
  ] as const)('$name: its events come as those that callers know, one by one', async ({ name, model, counted }) => {
    await using at = await open(name, model);
    const events = await eventsOf(await at.scene.post('/v1/audio/speech', { model, input, voice: 'x', stream_format: 'sse' }));
    const deltas = events.slice(0, -1);
    expect(deltas.map(({ type, audio }) => [type, Buffer.from(audio, 'base64')])).toEqual(
      spokenPieces.map((piece) => ['speech.audio.delta', piece]),
    );
    expect(events.at(-1)).toMatchObject({ type: 'speech.audio.done' });
    expect(await at.scene.logs(1)).toMatchObject([{ prompt_tokens: counted, completion_tokens: 0, quota: counted * 2 }]);
    await at.scene.checkBooks();
  });

  test('Volcano tells what is wrong in its own words, before any sound and amid it', async () => {
    await using at = await open('volc', 'seed-tts-2.0', { models: 'seed-tts-2.0,doubao-pro' });
    const ask = (more: object = {}) => at.scene.post('/v1/audio/speech', { model: 'seed-tts-2.0', input, voice: 'x', ...more });
    for (const [reported, status] of [
      [[{ code: 45_000_001, message: 'no such speaker', data: null }], 400],
      [[{ code: 45_000_292, message: 'quota exceeded for types: concurrency', data: null }], 429],
      [[{ code: 55_000_000, message: 'inner fault' }], 502],
      [{ header: { reqid: 'r1', code: 45_000_010, message: 'no grant' } }, 400],
    ] as const) {
      at.speaker.behave(reported);
      expect((await ask()).status).toBe(status);
    }
    expect(await at.scene.balance()).toBe(500_000_000);
    const sound = { code: 0, message: '', data: spokenSound.toString('base64') };
    at.speaker.behave([sound, { code: 55_000_000, message: 'inner fault' }]);
    const text = await (await ask({ stream_format: 'sse' })).text();
    expect(text).toContain('speech.audio.delta');
    expect(text).toContain('error');
    expect(text).not.toContain('speech.audio.done');
    // A key for speech is invalid for Ark, whose models have another endpoint.
    const taken = at.speaker.taken.length;
    const chat = await at.scene.post('/v1/chat/completions', { model: 'doubao-pro', messages: [{ role: 'user', content: 'Hi' }] });
    expect(chat.status).toBeGreaterThanOrEqual(400);
    expect(at.speaker.taken).toHaveLength(taken);
    await at.scene.checkBooks();
  });

  test('all of the sound again at the end is heard once, and alone it is heard', async () => {
    await using at = await open('minimax', 'speech-2.6-hd');
    const [first = Buffer.alloc(0)] = spokenPieces;
    const piece = (sound: Buffer, status: number) => ({ data: { audio: sound.toString('hex'), status }, base_resp: { status_code: 0 } });
    const speak = async () => bytesOf(await at.scene.post('/v1/audio/speech', { model: 'speech-2.6-hd', input, voice: 'x' }));
    at.speaker.behave([piece(first, 1), piece(first, 2)]);
    expect((await speak()).equals(first)).toBe(true);
    at.speaker.behave([piece(first, 2)]);
    expect((await speak()).equals(first)).toBe(true);
    // The provider reported no count.
    expect(await at.scene.logs(2)).toMatchObject([{ prompt_tokens: twice }, { prompt_tokens: twice }]);
    await at.scene.checkBooks();
  });

  test('a stream that fails or ends before its end is told as broken: nobody takes half of a sound for all of it', async () => {
    const piece = { data: { audio: spokenSound.toString('hex'), status: 1 }, base_resp: { status_code: 0 } };
    const fault = { data: null, base_resp: { status_code: 1002, status_msg: 'too many' } };
    for (const [reported, status] of [
      [[fault], 429],
      [[{ data: { audio: '', status: 2 }, base_resp: { status_code: 0 } }], 502],
      [[piece, fault], 200],
      [[piece], 200],
    ] as const) {
      await using at = await open('minimax', 'speech-2.6-hd');
      at.speaker.behave(reported);
      const body = { model: 'speech-2.6-hd', input, voice: 'x' };
      const response = await at.scene.post('/v1/audio/speech', { ...body, stream_format: 'sse' });
      expect(response.status).toBe(status);
      const text = await response.text();
      expect(text).toContain('error');
      expect(text).not.toContain('speech.audio.done');
      if (status === 200) {
        const broken = await at.scene.post('/v1/audio/speech', body);
        await expect(broken.arrayBuffer()).rejects.toThrow();
      } else expect(await at.scene.balance()).toBe(500_000_000);
      await at.scene.checkBooks();
    }
  });

  test.each([
    { name: 'minimax', model: 'speech-2.6-hd' },
    { name: 'volc', model: 'seed-tts-2.0' },
  ] as const)(
    '$name: a price per call is one of a thousand characters as the provider counts them, and so many are reserved',
    async (which) => {
      const { name, model } = which;
      const settings = { ModelRatio: '{}', ModelPrice: JSON.stringify({ [model]: 1 }) };
      const cost = twice * 500;
      await using at = await open(name, model, { settings, quota: cost });
      const response = await at.scene.post('/v1/audio/speech', { model, input, voice: 'alloy' });
      expect(response.status).toBe(200);
      await bytesOf(response);
      expect(await at.scene.logs(1)).toMatchObject([{ quota: cost, other: { units: { kind: 'character', count: twice } } }]);
      expect(await at.scene.balance()).toBe(0);
      await at.scene.checkBooks();
      await using poor = await open(name, model, { settings, quota: cost - 1 });
      expect((await poor.scene.post('/v1/audio/speech', { model, input, voice: 'alloy' })).status).toBe(403);
      expect(poor.speaker.taken).toEqual([]);
    },
  );

  test.each([
    { name: 'minimax', model: 'speech-2.6-hd', piece: { data: { audio: spokenSound.toString('hex'), status: 1 } } },
    { name: 'volc', model: 'seed-tts-2.0', piece: { code: 0, message: '', data: spokenSound.toString('base64') } },
  ] as const)('$name: a stream that ends before it has told its characters is paid by as many', async ({ name, model, piece }) => {
    const perCall = { ModelRatio: '{}', ModelPrice: JSON.stringify({ [model]: 1 }) };
    for (const [settings, price] of [
      [{}, 2],
      [perCall, 500],
    ] as const) {
      await using at = await open(name, model, { settings });
      at.speaker.behave([piece]);
      const response = await at.scene.post('/v1/audio/speech', { model, input, voice: 'x', stream_format: 'sse' });
      expect(await response.text()).toContain('speech.audio.delta');
      expect(await at.scene.logs(1)).toMatchObject([{ quota: twice * price }]);
      await at.scene.checkBooks();
    }
  });

  test('a sound that fails costs nothing', async () => {
    for (const [name, model, instead, status] of [
      ['minimax', 'speech-2.6-hd', { base_resp: { status_code: 2013, status_msg: 'no such voice' } }, 400],
      ['minimax', 'speech-2.6-hd', { data: { audio: '' } }, 502],
      ['minimax', 'speech-2.6-hd', { data: { audio: Buffer.from('<html>').toString('hex') } }, 502],
      ['google', 'gemini-2.5-flash-preview-tts', { candidates: [{ finishReason: 'OTHER' }], usageMetadata: { promptTokenCount: 9 } }, 400],
      ['dashscope', 'qwen3-tts-flash', { output: { audio: { url: 'https://127.0.0.1/a.wav' } }, usage: { characters: 9 } }, 504],
      ['dashscope', 'qwen3-tts-flash', { code: 'InvalidParameter', message: 'no such voice' }, 400],
    ] as const) {
      await using at = await open(name, model);
      at.speaker.behave(instead);
      const response = await at.scene.post('/v1/audio/speech', { model, input, voice: 'alloy' });
      expect([name, JSON.stringify(instead), response.status]).toEqual([name, JSON.stringify(instead), status]);
      expect(await at.scene.balance()).toBe(500_000_000);
      expect(at.internet.connections).toEqual([]);
      await at.scene.checkBooks();
    }
  });

  const second = Buffer.concat([wavHead(8000, 16_000), Buffer.alloc(16_000)]);

  test('Mistral writes down what it hears: no field that it refuses, times where subtitles are wanted', async () => {
    const model = 'voxtral-mini-latest';
    await using at = await open('mistralHears', model);
    const file = () => toFile(second, 'tide.wav');
    const whole = await at.client.audio.transcriptions.create({
      model,
      file: await file(),
      language: 'en',
      prompt: 'tides',
      temperature: 0,
    });
    expect(whole.text).toBe('The tide comes in.');
    const subtitles = await at.client.audio.transcriptions.create({ model, file: await file(), language: 'en', response_format: 'srt' });
    expect(subtitles).toContain('00:00:00,000 --> 00:00:01,500');
    const stream = await at.client.audio.transcriptions.create({ model, file: await file(), stream: true });
    expect((await Array.fromAsync(stream)).map(({ type }) => type)).toEqual(['transcript.text.delta', 'transcript.text.done']);
    expect(at.speaker.taken).toEqual([
      { model, file: second.length, language: 'en', temperature: '0' },
      { model, file: second.length, timestamp_granularities: ['segment'] },
      { model, file: second.length },
    ]);
    const rows = await at.scene.logs(3);
    expect(rows.map(({ prompt_tokens, completion_tokens }) => [prompt_tokens, completion_tokens])).toEqual([
      [40, 8],
      [40, 8],
      [40, 8],
    ]);
    await at.scene.checkBooks();
  });

  test('Cloudflare is sent bytes, or by its newest model an object, which also translates', async () => {
    const [old, newest] = ['@cf/openai/whisper', '@cf/openai/whisper-large-v3-turbo'];
    await using at = await open('workersHears', newest, {
      settings: { ModelRatio: JSON.stringify({ [newest]: 2, [old]: 2 }) },
      models: `${newest},${old}`,
    });
    const file = () => toFile(second, 'tide.wav');
    const prompt = 'tides, "audio":"';
    const text = await at.client.audio.transcriptions.create({ model: newest, file: await file(), language: 'fr', prompt, temperature: 0 });
    expect(text).toMatchObject({ text: 'The tide comes in.' });
    const translated = await at.client.audio.translations.create({ model: newest, file: await file(), response_format: 'srt' });
    expect(translated).toContain('00:00:00,000 --> 00:00:01,500');
    const plain = await at.client.audio.transcriptions.create({ model: old, file: await file(), language: 'fr' });
    expect(plain).toMatchObject({ text: 'The tide comes in.' });
    const audio = second.toString('base64');
    expect(at.speaker.taken).toEqual([
      { task: 'transcribe', language: 'fr', initial_prompt: prompt, audio },
      { task: 'translate', audio },
      { bytes: second.length },
    ]);
    await expect(at.client.audio.transcriptions.create({ model: old, file: await file(), response_format: 'vtt' })).rejects.toMatchObject({
      status: 400,
    });
    await expect(at.client.audio.translations.create({ model: old, file: await file() })).rejects.toThrow();
    expect(at.speaker.taken).toHaveLength(3);
    // By the reported seconds, otherwise by the measured ones.
    const rows = await at.scene.logs(3);
    expect(rows.slice(0, 3).map(({ prompt_tokens, quota }) => [prompt_tokens, quota])).toEqual([
      [500, 1000],
      [500, 1000],
      [17, 34],
    ]);
    await at.scene.checkBooks();
  });

  test('Ali is asked by a conversation that has the sound in it, and paid by its length', async () => {
    const model = 'qwen3-asr-flash';
    await using at = await open('aliHears', model);
    const file = () => toFile(second, 'tide.wav', { type: 'audio/wav' });
    const prompt = 'tides, "data":"SOUND"';
    const whole = await at.client.audio.transcriptions.create({ model, file: await file(), language: 'en', prompt });
    expect(whole).toMatchObject({ text: 'The tide comes in.' });
    const stream = await at.client.audio.transcriptions.create({ model, file: await file(), stream: true });
    expect((await Array.fromAsync(stream)).map(({ type }) => type)).toEqual(['transcript.text.delta', 'transcript.text.done']);
    const data = `data:audio/wav;base64,${second.toString('base64')}`;
    const received = { role: 'user', content: [{ type: 'input_audio', input_audio: { data } }] };
    expect(at.speaker.taken).toEqual([
      {
        model,
        stream: false,
        asr_options: { language: 'en' },
        messages: [{ role: 'system', content: [{ type: 'text', text: prompt }] }, received],
      },
      { model, stream: false, messages: [received] },
    ]);
    await expect(at.client.audio.transcriptions.create({ model, file: await file(), response_format: 'srt' })).rejects.toMatchObject({
      status: 400,
    });
    const long = await toFile(Buffer.concat([second, Buffer.alloc(8 * 1024 * 1024)]), 'long.wav');
    await expect(at.client.audio.transcriptions.create({ model, file: long })).rejects.toMatchObject({ status: 400, param: 'file' });
    expect(at.speaker.taken).toHaveLength(2);
    const rows = await at.scene.logs(4);
    expect(rows.map(({ prompt_tokens, quota }) => [prompt_tokens, quota])).toEqual([
      [17, 34],
      [17, 34],
      [0, 0],
      [0, 0],
    ]);
    await at.scene.checkBooks();
  });

  test('Zhipu is asked for no form of response that it has not, and paid by the length of the sound', async () => {
    const model = 'glm-asr-2512';
    await using at = await open('zhipuHears', model);
    const file = () => toFile(second, 'tide.wav');
    const text = await at.client.audio.transcriptions.create({ model, file: await file(), response_format: 'text', language: 'zh' });
    expect(text).toBe('The tide comes in.\n');
    await expect(at.client.audio.transcriptions.create({ model, file: await file(), response_format: 'vtt' })).rejects.toMatchObject({
      status: 400,
    });
    expect(at.speaker.taken).toEqual([{ model, file: second.length }]);
    // 17 thousandths of a minute.
    expect(await at.scene.logs(2)).toMatchObject([
      { prompt_tokens: 17, completion_tokens: 0, quota: 34 },
      { quota: 0, failed: 1 },
    ]);
    await at.scene.checkBooks();
  });
});
