import { expect, test } from 'vitest';
import { pictureCall, speechCall, transcriptCall, videoCall } from './media-body.ts';
import { emptyMedia } from './media-settings.ts';
import { emptySettings } from './request-body.ts';

const turn = { text: 'a tide', pictures: [] };
const settings = {
  ...emptySettings,
  group: 'vip',
  media: { ...emptyMedia, size: '1024x1024', quality: 'hd', count: 2, voice: 'nova', speed: 1.5 },
};

test('of a picture is sent what its model takes, and that its bytes are wanted', async () => {
  expect(await pictureCall({ settings, model: 'dall-e-3', turn })).toEqual({
    path: 'images/generations',
    body: { model: 'dall-e-3', prompt: 'a tide', size: '1024x1024', quality: 'hd', response_format: 'b64_json', group: 'vip' },
  });
  expect(await pictureCall({ settings, model: 'gpt-image-1', turn })).toEqual({
    path: 'images/generations',
    body: { model: 'gpt-image-1', prompt: 'a tide', n: 2, size: '1024x1024', group: 'vip' },
  });
});

test('pictures that go along make it an edit', async () => {
  const picture = { name: 'a.jpg', url: `data:image/jpeg;base64,${btoa('abc')}`, width: 1, height: 1 };
  const { path, body } = await pictureCall({
    settings: emptySettings,
    model: 'gpt-image-1',
    turn: { ...turn, pictures: [picture, picture] },
  });
  expect(path).toBe('images/edits');
  if (!(body instanceof FormData)) throw new Error('no form');
  expect(body.get('prompt')).toBe('a tide');
  expect(body.getAll('image[]')).toHaveLength(2);
  expect(body.has('group')).toBe(false);
});

test('a picture is asked for with previews where its model has them', async () => {
  const previewed = { ...emptySettings, media: { ...emptyMedia, isPreviewed: true } };
  const { body } = await pictureCall({ settings: previewed, model: 'gpt-image-1', turn });
  expect(body).toEqual({ model: 'gpt-image-1', prompt: 'a tide', stream: true, partial_images: 2 });
  const { body: whole } = await pictureCall({ settings: previewed, model: 'dall-e-3', turn });
  expect(whole).not.toHaveProperty('stream');
  const two = { ...emptySettings, media: { ...emptyMedia, isPreviewed: true, count: 2 } };
  expect((await pictureCall({ settings: two, model: 'gpt-image-1', turn })).body).not.toHaveProperty('stream');
});

test('speech has its voice and speed', () => {
  expect(speechCall({ settings, model: 'tts-1', turn }).body).toEqual({
    model: 'tts-1',
    input: 'a tide',
    voice: 'nova',
    response_format: 'mp3',
    speed: 1.5,
    group: 'vip',
  });
});

test('a recording travels with what is said of it; into English it is another call, without a language', () => {
  const sound = new File(['abc'], 'tide.wav', { type: 'audio/wav' });
  const media = { ...emptyMedia, language: 'zh' };
  const requested = { settings: { ...emptySettings, media }, model: 'whisper-1', turn };
  const heard = transcriptCall(requested, sound);
  expect(heard.path).toBe('audio/transcriptions');
  expect([heard.body.get('language'), heard.body.get('prompt')]).toEqual(['zh', 'a tide']);
  const file = heard.body.get('file');
  expect(file instanceof File && file.name).toBe('tide.wav');
  const english = transcriptCall({ ...requested, settings: { ...emptySettings, media: { ...media, isTranslated: true } } }, sound);
  expect(english.path).toBe('audio/translations');
  expect(english.body.has('language')).toBe(false);
});

test('of a video everything is said that it costs by, with the picture that it begins with as a file', async () => {
  const media = { ...emptyMedia, videoSize: '1080x1920', seconds: 8 };
  expect(await videoCall({ settings: { ...settings, media }, model: 'sora-2', turn })).toEqual({
    path: 'videos',
    body: { model: 'sora-2', prompt: 'a tide', seconds: '8', size: '1080x1920', group: 'vip' },
  });
  const picture = { name: 'a.jpg', url: `data:image/jpeg;base64,${btoa('abc')}`, width: 1, height: 1 };
  const { body } = await videoCall({ settings: emptySettings, model: 'kling-v3', turn: { ...turn, pictures: [picture] } });
  if (!(body instanceof FormData)) throw new Error('A picture goes in a form');
  const { input_reference: file, ...fields } = Object.fromEntries(body);
  expect(fields).toEqual({ model: 'kling-v3', prompt: 'a tide', seconds: '5', size: '1280x720' });
  expect(file instanceof Blob && [file.type, file.size]).toEqual(['image/jpeg', 3]);
});
