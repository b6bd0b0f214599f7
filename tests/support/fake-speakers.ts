// Providers of speech and transcription with formats of their own: each accepts its own fields strictly, and responds in its format.
import { wavHead } from '#server/kinds/audio/wav-head.ts';
import { spokenPieces } from './audio-responses.ts';
import { publicName } from './fake-internet.ts';
import { type FrontedRequest, jsonOf, type Judgement, type ProviderFront, startFront } from './provider-front.ts';
import { isObject } from './upstream-responses.ts';

export interface FakeSpeaker extends ProviderFront, AsyncDisposable {
  /** The bodies of the calls that it has taken, in order; of forms their fields, files by their size. */
  readonly taken: Record<string, unknown>[];
  /** Answered instead of any sound; a list: as events. @param status missing: 200 */
  behave(instead: object | readonly object[], status?: number): void;
}

type Body = Record<string, unknown>;
type Test = (value: unknown) => boolean;

/** As MP3. */
export const spokenSound = Buffer.concat(spokenPieces);
/** As samples: two seconds at 24 kHz. */
export const spokenSamples = Buffer.alloc(96_000, 3);
export const soundAddress = `https://${publicName}/sound.wav?sign=x`;

const text: Test = (value) => typeof value === 'string' && value !== '';
const among =
  (...words: readonly unknown[]): Test =>
  (value) =>
    words.includes(value);
const between =
  (least: number, most: number): Test =>
  (value) =>
    typeof value === 'number' && value >= least && value <= most;
const object =
  (fields: Record<string, Test>): Test =>
  (value) =>
    isObject(value) && isSo(value, fields);
const listOf =
  (test: Test): Test =>
  (value) =>
    Array.isArray(value) && value.length === 1 && value.every(test);

function isSo(body: Body, fields: Record<string, Test>): boolean {
  return Object.entries(body).every(([name, value]) => fields[name]?.(value) === true);
}

interface Speaker {
  type: number;
  key: string;
  other?: string;
  isOwn?: (headers: FrontedRequest['headers']) => boolean;
  path: RegExp;
  fields: Record<string, Test>;
  answer: (body: Body) => Judgement;
}

/** @param isNamed each has its type as the event's name, in addition to its data */
function events(all: readonly object[], isNamed = false): Judgement {
  const reported = all.map((event) => `${isNamed ? `event: ${String(Object(event).type)}\n` : ''}data: ${JSON.stringify(event)}\n\n`);
  return { kind: 'bytes', type: 'text/event-stream', bytes: Buffer.from(reported.join('')) };
}

const json = (body: object): Judgement => ({ kind: 'answer', status: 200, body });

/** Two of each character of Chinese. */
export const countedTwice = (input: string): number =>
  Array.from(input).reduce((sum, character) => sum + ((character.codePointAt(0) ?? 0) > 0x2e80 ? 2 : 1), 0);

const google = {
  type: 24,
  key: 'g-key',
  isOwn: (headers) => headers['x-goog-api-key'] === 'g-key',
  path: /^\/v1beta\/models\/[\w.-]+:generateContent$/,
  fields: {
    contents: listOf(object({ role: among('user'), parts: listOf(object({ text })) })),
    generationConfig: object({
      responseModalities: (value) => JSON.stringify(value) === '["AUDIO"]',
      speechConfig: object({ voiceConfig: object({ prebuiltVoiceConfig: object({ voiceName: among('Kore', 'Puck') }) }) }),
    }),
  },
  answer: () =>
    json({
      candidates: [
        { content: { parts: [{ inlineData: { mimeType: 'audio/L16;codec=pcm;rate=24000', data: spokenSamples.toString('base64') } }] } },
      ],
      usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 50, totalTokenCount: 61 },
    }),
} as const satisfies Speaker;

export const speakers = {
  minimax: {
    type: 35,
    key: 'mm-key',
    path: /^\/v1\/t2a_v2$/,
    fields: {
      model: text,
      text,
      stream: among(true, false),
      stream_options: object({ exclude_aggregated_audio: among(true) }),
      output_format: among('hex'),
      language_boost: text,
      voice_setting: object({ voice_id: text, speed: between(0.5, 2), emotion: text }),
      audio_setting: object({ format: among('mp3', 'pcm', 'flac', 'wav'), channel: among(1), sample_rate: among(24_000) }),
    },
    answer(body) {
      const { stream, text: said, audio_setting: setting } = body;
      const format = isObject(setting) ? setting['format'] : undefined;
      const extra = { audio_length: 4000, audio_format: format, usage_characters: countedTwice(String(said)) };
      const reported = (data: object, more: object = {}) => ({
        data,
        ...more,
        trace_id: 't1',
        base_resp: { status_code: 0, status_msg: '' },
      });
      const sound = format === 'wav' ? Buffer.concat([wavHead(24_000, spokenSamples.length), spokenSamples]) : spokenSound;
      if (stream !== true) return json(reported({ audio: sound.toString('hex'), status: 2 }, { extra_info: extra }));
      if (format === 'wav') return refused(400, 'wav does not stream');
      const pieces = spokenPieces.map((piece) => reported({ audio: piece.toString('hex'), status: 1, ced: '' }));
      return events([...pieces, reported({ audio: '', status: 2, ced: '' }, { extra_info: extra })]);
    },
  },
  // https://www.volcengine.com/docs/6561/1598757
  volc: {
    type: 45,
    key: 'app1|token1',
    isOwn: (headers) =>
      headers['x-api-app-id'] === 'app1' &&
      headers['x-api-access-key'] === 'token1' &&
      headers['x-api-resource-id'] === 'seed-tts-2.0' &&
      headers.authorization === undefined,
    path: /^\/api\/v3\/tts\/unidirectional\/sse$/,
    fields: {
      user: object({ uid: text }),
      req_params: object({
        text,
        speaker: text,
        audio_params: object({
          format: among('mp3', 'pcm', 'ogg_opus'),
          sample_rate: among(24_000),
          speech_rate: between(-50, 100),
          emotion: text,
        }),
      }),
    },
    answer({ req_params: requested }) {
      const words = countedTwice(String(Object(requested).text));
      const reported = spokenPieces.map((piece) => ({ code: 0, message: '', data: piece.toString('base64') }));
      const sentence = { code: 0, message: '', data: null, sentence: { text: 'The tide', words: [] } };
      return events([...reported, sentence, { code: 20_000_000, message: 'OK', data: null, usage: { text_words: words } }]);
    },
  },
  // https://docs.mistral.ai/studio/audio/text-to-speech/quickstarts
  mistral: {
    type: 42,
    key: 'mi-key',
    path: /^\/v1\/audio\/speech$/,
    fields: {
      model: text,
      input: text,
      voice_id: text,
      ref_audio: text,
      response_format: among('mp3', 'wav', 'flac', 'opus'),
      stream: among(true),
    },
    answer(body) {
      const { response_format: format } = body;
      // Of a file whose length is not known yet.
      const head = wavHead(24_000, 0xff_ff_ff_00 - 36);
      const pieces =
        format === 'wav'
          ? [head.subarray(0, 20), head.subarray(20), spokenSamples.subarray(0, 30_000), spokenSamples.subarray(30_000)]
          : spokenPieces;
      const usage = { prompt_tokens: 250, completion_tokens: 48_000, total_tokens: 48_250, prompt_audio_seconds: null };
      const reported = pieces.map((piece) => ({ type: 'speech.audio.delta', audio_data: piece.toString('base64') }));
      return events([...reported, { type: 'speech.audio.done', usage }], true);
    },
  },
  google,
  vertex: { ...google, type: 41, path: /^\/v1\/publishers\/google\/models\/[\w.-]+:generateContent$/ },
  dashscope: {
    type: 17,
    key: 'ali-key',
    path: /^\/api\/v1\/services\/aigc\/multimodal-generation\/generation$/,
    fields: { model: text, input: object({ text, voice: among('Cherry', 'Ethan'), language_type: text, instructions: text }) },
    answer: ({ input }) =>
      json({
        output: { finish_reason: 'stop', audio: { data: '', url: soundAddress.replace('https:', 'http:'), id: 'a1', expires_at: 1 } },
        usage: { characters: countedTwice(String(isObject(input) ? input['text'] : '')) },
        request_id: 'r1',
      }),
  },
  zhipu: {
    type: 26,
    key: 'id1.secret1',
    isOwn: ({ authorization }) => authorization?.split('.').length === 3,
    path: /^\/api\/paas\/v4\/audio\/speech$/,
    fields: {
      model: text,
      input: text,
      voice: among('tongtong', 'jam'),
      response_format: among('wav', 'pcm'),
      speed: between(0.5, 2),
      volume: between(0, 10),
    },
    answer: () => ({ kind: 'bytes', type: 'audio/wav', bytes: Buffer.concat([Buffer.from('RIFF'), spokenSamples]) }),
  },
  aliHears: {
    type: 17,
    key: 'ali-key',
    path: /^\/compatible-mode\/v1\/chat\/completions$/,
    fields: {
      model: text,
      stream: among(false),
      asr_options: object({ language: text }),
      messages: (value) =>
        Array.isArray(value) &&
        object({ role: among('user'), content: listOf(object({ type: among('input_audio'), input_audio: object({ data: text }) })) })(
          value.at(-1),
        ) &&
        value.slice(0, -1).every(object({ role: among('system'), content: listOf(object({ type: among('text'), text })) })),
    },
    answer: () =>
      json({
        id: 'c1',
        object: 'chat.completion',
        choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'The tide comes in.', annotations: [] } }],
        usage: { prompt_tokens: 42, completion_tokens: 12, total_tokens: 54, seconds: 1 },
      }),
  },
  workersHears: {
    type: 39,
    key: 'cf-key',
    other: 'acct',
    path: /^\/client\/v4\/accounts\/acct\/ai\/run\/@cf\/openai\/whisper[\w.-]*$/,
    fields: {
      bytes: between(1, 1e9),
      audio: text,
      task: among('transcribe', 'translate'),
      language: text,
      initial_prompt: text,
      prefix: text,
      vad_filter: among(true, false),
    },
    answer(body) {
      const said = 'The tide comes in.';
      const words = [{ word: 'The', start: 0, end: 0.2 }];
      const segments = [{ start: 0, end: 1.5, text: said, words }];
      const info = { language: 'en', language_probability: 0.9, duration: 30, duration_after_vad: 29 };
      const result =
        body['bytes'] === undefined ? { transcription_info: info, text: said, segments, word_count: 4 } : { text: said, words };
      return json({ result, success: true, errors: [], messages: [] });
    },
  },
  mistralHears: {
    type: 42,
    key: 'mi-key',
    path: /^\/v1\/audio\/transcriptions$/,
    fields: {
      model: text,
      file: between(1, 1e9),
      temperature: text,
      language: text,
      diarize: among('true', 'false'),
      timestamp_granularities: (value) => Array.isArray(value) && value.every(among('segment', 'word')),
    },
    answer: (body) =>
      body['timestamp_granularities'] !== undefined && body['language'] !== undefined
        ? refused(400, 'timestamp_granularities is not compatible with language')
        : json({
            model: body['model'],
            text: 'The tide comes in.',
            language: 'en',
            segments: body['timestamp_granularities'] === undefined ? [] : [{ text: 'The tide comes in.', start: 0, end: 1.5 }],
            usage: { prompt_audio_seconds: 30, prompt_tokens: 40, completion_tokens: 8, total_tokens: 48 },
          }),
  },
  zhipuHears: {
    type: 26,
    key: 'id1.secret1',
    isOwn: ({ authorization }) => authorization?.split('.').length === 3,
    path: /^\/api\/paas\/v4\/audio\/transcriptions$/,
    fields: { model: text, file: between(1, 1e9), prompt: text, stream: among('true', 'false') },
    answer: (body) => json({ id: 'h1', created: 1, model: body['model'], text: 'The tide comes in.' }),
  },
} as const satisfies Record<string, Speaker>;

export type SpeakerName = keyof typeof speakers;

export async function startFakeSpeaker(name: SpeakerName, upstreamUrl: string): Promise<FakeSpeaker> {
  const { type, key, other, path, fields, answer, isOwn }: Speaker = speakers[name];
  const taken: Body[] = [];
  let instead: { status: number; body: object } | undefined;
  const front = await startFront(upstreamUrl, async ({ method, path: requested, headers, body }) => {
    if (isOwn === undefined ? headers.authorization !== `Bearer ${key}` : !isOwn(headers)) return refused(401, 'no such key');
    if (method !== 'POST' || !path.test(requested)) return refused(404, `nothing at ${requested}`);
    const form = headers['content-type'] ?? '';
    const isPlain = form === 'application/octet-stream';
    const reported = isPlain ? { bytes: body.length } : form.startsWith('multipart/') ? await fieldsOf(body, form) : jsonOf(body);
    taken.push(reported);
    const fault = Object.entries(reported).find(([field, value]) => fields[field]?.(value) !== true);
    if (fault !== undefined) return refused(422, `bad or unknown: ${fault[0]}`);
    if (instead === undefined) return answer(reported);
    return Array.isArray(instead.body) ? events(instead.body) : { kind: 'answer', ...instead };
  });
  return {
    ...front,
    channel: { type, key, ...(other === undefined ? {} : { other }) },
    taken,
    behave: (body, status = 200) => (instead = { status, body }),
    [Symbol.asyncDispose]: () => front.close(),
  };
}

async function fieldsOf(body: Buffer, type: string): Promise<Body> {
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  const found: Body = {};
  for (const name of new Set(form.keys())) {
    const values = form.getAll(name).map((value) => (typeof value === 'string' ? value : value.size));
    found[name] = name === 'timestamp_granularities' ? values : values[0];
  }
  return found;
}

function refused(status: number, message: string): Judgement {
  return { kind: 'answer', status, body: { error: { message, type: 'invalid_request_error', code: String(status) } } };
}
