// Longer media count more tokens, in every format.
import { describe, expect, test } from 'vitest';
import { clientDialects } from './registry.ts';

const megabyte = Buffer.alloc(1_200_000).toString('base64');
const few = Buffer.alloc(600).toString('base64');

/** Telephone quality: 8,000 bytes per second. */
function wave(seconds: number, { rate = 8_000, bits = 8 } = {}): string {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt16LE(bits, 34);
  return Buffer.concat([head, Buffer.alloc(8_000 * seconds - 44)]).toString('base64');
}

const { gemini, claude, 'openai-chat': chat, 'openai-responses': responses, 'gemini-interactions': interactions } = clientDialects;
const ofGemini = (mimeType: string) => (data: string) =>
  gemini.calls.chat.promptContent({ contents: [{ parts: [{ inline_data: { mime_type: mimeType, data } }] }] });
const ofChat = (part: (data: string) => object) => (data: string) =>
  chat.calls.chat.promptContent({ messages: [{ role: 'user', content: [part(data)] }] }, 'gpt-5');
const ofResponses = (part: (data: string) => object) => (data: string) =>
  responses.calls.chat.promptContent({ input: [{ role: 'user', content: [part(data)] }] }, 'gpt-5');
const ofClaude = (type: string) => (data: string) =>
  claude.calls.chat.promptContent({
    messages: [
      {
        role: 'user',
        content: [{ type: 'document', source: { type, media_type: 'application/pdf', [type === 'url' ? 'url' : 'data']: data } }],
      },
    ],
  });

test.each([
  { what: 'audio of Gemini', of: ofGemini('audio/ogg'), guess: 960, usual: 4_800, most: 38_400, isAudio: true },
  { what: 'a film of Gemini', of: ofGemini('video/mp4'), guess: 5_000, usual: 5_000, most: 36_000 },
  { what: 'pages of Gemini', of: ofGemini('application/pdf'), guess: 5_000, usual: 6_192, most: 30_960 },
  { what: 'a text of Gemini', of: ofGemini('text/csv'), guess: 5_000, usual: 300_000, most: 600_000 },
  { what: 'an image of Gemini', of: ofGemini('image/png'), guess: 1_120, least: 4_128, usual: 1_120, most: 4_128 },
  {
    what: 'audio of chat',
    of: ofChat((data) => ({ type: 'input_audio', input_audio: { format: 'mp3', data } })),
    guess: 100,
    usual: 1_500,
    most: 38_400,
    isAudio: true,
  },
  {
    what: 'a file of chat',
    of: ofChat((data) => ({ type: 'file', file: { file_data: `data:application/pdf;base64,${data}` } })),
    guess: 5_000,
    usual: 48_000,
    most: 240_000,
  },
  {
    what: 'a film of chat',
    of: ofChat((data) => ({ type: 'video_url', video_url: { url: `data:video/mp4;base64,${data}` } })),
    guess: 5_000,
    usual: 5_000,
    most: 36_000,
  },
  {
    what: 'a file of Responses',
    of: ofResponses((data) => ({ type: 'input_file', file_data: data })),
    guess: 5_000,
    usual: 48_000,
    most: 240_000,
  },
  {
    what: 'audio of Responses',
    of: ofResponses((data) => ({ type: 'input_audio', input_audio: { data, format: 'mp3' } })),
    guess: 100,
    usual: 1_500,
    most: 38_400,
    isAudio: true,
  },
  { what: 'a document of Claude', of: ofClaude('base64'), guess: 5_000, usual: 72_000, most: 360_000 },
])('$what is estimated by its length, and at least at the default', ({ of, guess, least = guess, usual, most, isAudio = false }) => {
  expect(of(few)).toMatchObject({ media: guess, mediaMost: least });
  const long = of(megabyte);
  expect(long).toMatchObject({ media: usual, mediaMost: most, audio: isAudio ? usual : 0, audioMost: isAudio ? most : 0 });
  expect(long.texts.join('').length).toBeLessThan(100);
});

test('uncompressed audio has the duration that its header implies', () => {
  expect(ofGemini('audio/wav')(wave(100))).toMatchObject({ audio: 3_201, audioMost: 3_201 });
});

test.each([
  ofClaude('url'),
  ofChat((url) => ({ type: 'file', file: { file_data: `https://files.example/${url}` } })),
  ofChat((id) => ({ type: 'file', file: { file_id: id } })),
])('media that are not inline have the default estimate: %#', (of) => {
  expect(of(megabyte.slice(0, 60_000))).toMatchObject({ media: 5_000, mediaMost: 5_000 });
});

test('an overlong URL is reserved like a video', () => {
  expect(ofClaude('url')(megabyte)).toMatchObject({ media: 5_000, mediaMost: 1_048_576 });
});

test.each([
  { what: 'an inaudible sample rate', header: { rate: 4_000_000_000, bits: 32 } },
  { what: 'no bits', header: { bits: 0 } },
  { what: 'hardly a sample', header: { rate: 1 } },
])('an audio header with $what is ignored', ({ header }) => {
  expect(ofGemini('audio/wav')(wave(100, header))).toMatchObject({ audio: 3_201, audioMost: 25_601 });
});

test('inline media are estimated at most at the largest context', () => {
  const text = Buffer.alloc(6_000_000).toString('base64');
  expect(ofGemini('text/csv')(text)).toMatchObject({ media: 1_048_576, mediaMost: 1_048_576 });
});

const image = (url: string) => ofChat((data) => ({ type: 'image_url', image_url: { url: data } }))(url);
const bareImage = ofChat((url) => ({ type: 'image_url', image_url: url }));
const file = ofChat((url) => ({ type: 'file', file: { file_data: url } }));
const video = ofChat((url) => ({ type: 'video_url', video_url: { url } }));
const ofAlibaba = ofChat((url) => ({ type: 'video', video: url }));
const frames = (of: unknown) =>
  clientDialects['openai-chat'].calls.chat.promptContent({ messages: [{ role: 'user', content: [{ type: 'video', video: of }] }] }, 'm');
const document = ofChat((url) => ({ type: 'document_url', document_url: url }));
const spoken = ofChat((data) => ({ type: 'input_audio', input_audio: { data, format: 'mp3' } }));
const ofResponsesImage = ofResponses((url) => ({ type: 'input_image', image_url: url }));
const ofResponsesFile = ofResponses((url) => ({ type: 'input_file', file_url: url }));
const claudeImage = (source: object) =>
  claude.calls.chat.promptContent({ messages: [{ role: 'user', content: [{ type: 'image', source }] }] });
const ofClaudeImage = (url: string) => claudeImage({ type: 'url', url });
const film = (fileUri: string) => gemini.calls.chat.promptContent({ contents: [{ parts: [{ fileData: { fileUri } }] }] });
const ofInteractions = (content: object) => interactions.calls.chat.promptContent({ input: [content] });
const ofInteractionsUri = (uri: string) => ofInteractions({ type: 'image', uri });

const places = [
  { what: 'an image of chat', of: image, guess: 255, most: 15_000 },
  { what: 'a bare image of chat', of: bareImage, guess: 255, most: 15_000 },
  { what: 'a file of chat', of: file, guess: 5_000 },
  { what: 'an image of Responses', of: ofResponsesImage, guess: 255, most: 15_000 },
  { what: 'a file of Responses', of: ofResponsesFile, guess: 5_000 },
  { what: 'an image of Claude', of: ofClaudeImage, guess: 1_600, most: 4_784 },
  { what: 'a document of Claude', of: ofClaude('url'), guess: 5_000 },
  { what: 'a file of Gemini', of: film, guess: 5_000 },
  { what: 'an image of Interactions', of: ofInteractionsUri, guess: 1_120, most: 4_128 },
];

test.each(places)('$what that Google fetches as a video is reserved at the largest context', ({ of, guess, most = guess }) => {
  for (const url of [
    'https://www.youtube.com/watch?v=abc',
    'HTTPS://a@m.YouTube.com.:443/watch?v=abc',
    'https://youtu.be/abc',
    'https://tides.example/a.mp4?x=1',
    'https://tides.example/a.MOV',
    'https://tides.example/a.webm#t=1',
    'https://tides.example/a.mp3',
    'https://tides.example/a.wav',
  ])
    expect([url, of(url)]).toMatchObject([url, { media: guess, mediaMost: 1_048_576 }]);
  for (const url of ['https://tides.example/?youtube.com/', 'https://tides.example/a.png', 'https://notyoutube.com/a', 'https://a.mp4/'])
    expect([url, of(url)]).toMatchObject([url, { media: guess, mediaMost: most }]);
});

test.each([image, bareImage, file, ofResponsesImage, ofResponsesFile, ofClaudeImage, ofClaude('url'), ofInteractionsUri])(
  'a video in a data URL is estimated by its length: %#',
  (of) => {
    expect(of(`data:video/mp4;base64,${megabyte}`)).toMatchObject({ media: 5_000, mediaMost: 36_000 });
    expect(of(`data:text/csv;base64,${megabyte}`)).toMatchObject({ media: 300_000, mediaMost: 600_000 });
  },
);

test.each([
  { what: 'chat', of: image, guess: 255, most: 15_000 },
  { what: 'Responses', of: ofResponsesImage, guess: 255, most: 15_000 },
  { what: 'Interactions', of: ofInteractionsUri, guess: 1_120, most: 4_128 },
])('an image of $what in a data URL is estimated as an image', ({ of, guess, most }) => {
  expect(of(`data:image/png;base64,${megabyte}`)).toMatchObject({ media: guess, mediaMost: most });
});

test('the media type of a source of Claude decides, not the type of its block', () => {
  const base64 = (media_type: string) => ({ type: 'base64', media_type, data: megabyte });
  expect(claudeImage(base64('image/png'))).toMatchObject({ media: 1_600, mediaMost: 4_784 });
  expect(claudeImage(base64('VIDEO/mp4'))).toMatchObject({ media: 5_000, mediaMost: 36_000 });
  expect(claudeImage(base64('audio/mp3'))).toMatchObject({ audio: 5_000, audioMost: 38_400 });
});

test('a part of type video or audio is one for every URL', () => {
  expect(video('https://tides.example/a')).toMatchObject({ media: 5_000, mediaMost: 1_048_576 });
  expect(spoken('https://tides.example/a')).toMatchObject({ audio: 100, audioMost: 1_048_576 });
  const reported = { mimeType: 'video/mp4', fileUri: 'https://tides.example/a' };
  expect(gemini.calls.chat.promptContent({ contents: [{ parts: [{ fileData: reported }] }] })).toMatchObject({ mediaMost: 1_048_576 });
});

test('audio of Interactions is audio, whatever its stated type', () => {
  expect(ofInteractions({ type: 'audio', mime_type: 'image/mp3', data: megabyte })).toMatchObject({ audio: 4_800, audioMost: 38_400 });
  expect(ofInteractions({ type: 'video', data: null, uri: 'https://youtu.be/abc' })).toMatchObject({ mediaMost: 1_048_576 });
});

test('a video part of Alibaba is a video, whatever its URL or frames are', () => {
  expect(ofAlibaba('https://tides.example/a')).toMatchObject({ media: 5_000, mediaMost: 1_048_576 });
  expect(ofAlibaba(`data:video/mp4;base64,${megabyte}`)).toMatchObject({ media: 5_000, mediaMost: 36_000 });
  expect(ofAlibaba(megabyte)).toMatchObject({ media: 5_000, mediaMost: 36_000 });
  expect(frames({ url: 'https://tides.example/a' })).toMatchObject({ media: 5_000, mediaMost: 1_048_576 });
  const jpeg = `data:image/jpeg;base64,${few}`;
  expect(frames([jpeg, 'https://tides.example/2.jpg', { url: jpeg }])).toMatchObject({ media: 1_920, mediaMost: 1_920 });
  expect(frames(['https://tides.example/2.mp4'])).toMatchObject({ media: 640, mediaMost: 1_048_576 });
  expect(frames([])).toMatchObject({ media: 0 });
});

test('a `document_url` of Mistral is a document', () => {
  expect(document('https://tides.example/a.pdf')).toMatchObject({ media: 5_000, mediaMost: 5_000 });
  expect(document(`data:application/pdf;base64,${megabyte}`)).toMatchObject({ mediaMost: 240_000 });
});

describe('an image for Qwen', () => {
  const url = 'https://tides.example/a.png';
  const of = (model: string, part: object = {}, body: object = {}, address = url) =>
    chat.calls.chat.promptContent(
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: address }, ...part }] }], ...body },
      model,
    );

  test.each([
    ['what the provider takes it for', 'qwen3-vl-plus', {}, {}, 2_562],
    ['an older model', 'qwen2.5-vl-72b-instruct', {}, {}, 1_282],
    ['an older model that looks closely', 'qwen2.5-vl-72b-instruct', {}, { vl_high_resolution_images: true }, 16_386],
    [
      'a high-resolution model, whatever is requested for each',
      'qwen3-vl-plus',
      { max_pixels: 1_024 },
      { vl_high_resolution_images: true },
      16_386,
    ],
    ['the requested size', 'qwen3-vl-plus', { max_pixels: 4_096_000 }, {}, 4_002],
    ['the requested size, with an older model', 'qwen2.5-vl-72b-instruct', { max_pixels: 784_000 }, {}, 1_002],
    ['a model of unknown generation', 'qwen-vl-max', { max_pixels: 784_000 }, {}, 1_002],
    ['never more than the model takes', 'qwen3-vl-plus', { max_pixels: 1e12 }, {}, 16_386],
    ['never less than what it is made larger to', 'qwen3-vl-plus', { max_pixels: 1_024, min_pixels: 1_024_000 }, {}, 1_002],
    ['a page that is read', 'qwen-vl-ocr', {}, {}, 8_194],
    ['a model under another name', 'my-eyes', {}, { vl_high_resolution_images: true }, 16_386],
  ])('is reserved for: %s', (_, model, part, body, most) => {
    for (const address of [url, `data:image/png;base64,${megabyte}`])
      expect(of(model, part, body, address)).toMatchObject({ media: Math.min(most, 1_282), mediaMost: most });
  });

  test('of another vendor has the default estimate', () => expect(of('gpt-4o')).toMatchObject({ media: 255, mediaMost: 1_445 }));
});
