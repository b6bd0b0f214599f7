// A long clip is no short one, in every format.
import { expect, test } from 'vitest';
import { clientDialects } from './registry.ts';

const megabyte = Buffer.alloc(1_200_000).toString('base64');
const few = Buffer.alloc(600).toString('base64');

/** As a telephone sounds: 8,000 bytes a second. */
function wave(seconds: number): string {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt16LE(8, 34);
  return Buffer.concat([head, Buffer.alloc(8_000 * seconds - 44)]).toString('base64');
}

const { gemini, claude, 'openai-chat': chat, 'openai-responses': responses } = clientDialects;
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
  { what: 'an image of Gemini', of: ofGemini('image/png'), guess: 1_120, usual: 1_120, most: 1_120 },
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
])('$what is worth what its length says, and never less than the guess', ({ of, guess, usual, most, isAudio = false }) => {
  expect(of(few)).toMatchObject({ media: guess, mediaMost: guess });
  const long = of(megabyte);
  expect(long).toMatchObject({ media: usual, mediaMost: most, audio: isAudio ? usual : 0, audioMost: isAudio ? most : 0 });
  expect(long.texts.join('').length).toBeLessThan(100);
});

test('sound that is not compressed is as long as its header says', () => {
  expect(ofGemini('audio/wav')(wave(100))).toMatchObject({ audio: 3_201, audioMost: 3_201 });
});

test.each([
  ofClaude('url'),
  ofChat((url) => ({ type: 'file', file: { file_data: `https://files.example/${url}` } })),
  ofChat((id) => ({ type: 'file', file: { file_id: id } })),
])('what is not inline stays a guess: %#', (of) => {
  expect(of(megabyte)).toMatchObject({ media: 5_000, mediaMost: 5_000 });
});

test('a film that Google fetches may be as long as its models can watch', () => {
  const film = (fileUri: string) => gemini.calls.chat.promptContent({ contents: [{ parts: [{ fileData: { fileUri } }] }] });
  expect(film('https://www.youtube.com/watch?v=abc')).toMatchObject({ media: 5_000, mediaMost: 1_048_576 });
  expect(film('https://tides.example/?youtube.com/')).toMatchObject({ media: 5_000, mediaMost: 5_000 });
});
