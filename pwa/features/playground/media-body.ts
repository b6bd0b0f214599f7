// What is sent for pictures, speech, transcripts and videos.
import type { Conversation, Picture, Turn } from '#pwa/offline/conversation.ts';
import { mediaFor, previews, videoOf } from './media-settings.ts';
import { pngOf } from './paint-mask.ts';
import { takesMask } from './takes-mask.ts';

type MediaCall = Pick<Conversation, 'settings'> & { model: string; turn: Pick<Turn, 'text' | 'pictures'> };

export async function pictureCall({
  settings,
  model,
  turn,
}: MediaCall): Promise<{ path: string; body: Record<string, unknown> | FormData }> {
  const { size, quality, count, isPreviewed } = mediaFor(model, settings.media);
  const fields = {
    model,
    prompt: turn.text,
    ...(count === 1 ? {} : { n: count }),
    ...(size === '' ? {} : { size }),
    ...(quality === '' ? {} : { quality }),
    // An address at the provider expires within the hour. Models that always send bytes refuse the parameter.
    ...(/gpt-image/.test(model) ? {} : { response_format: 'b64_json' }),
    ...(isPreviewed === true ? { stream: true, partial_images: previews } : {}),
    ...groupOf(settings),
  };
  if (turn.pictures.length === 0) return { path: 'images/generations', body: fields };
  const form = formOf(fields);
  // It is the first picture's.
  const mask = takesMask(model) ? turn.pictures[0]?.mask : undefined;
  if (mask !== undefined) form.append('mask', bytesOf(mask), 'mask.png');
  for (const [index, picture] of turn.pictures.entries())
    form.append(turn.pictures.length > 1 ? 'image[]' : 'image', await sentBytes(picture, index === 0 && mask !== undefined), picture.name);
  return { path: 'images/edits', body: form };
}

export function speechCall({ settings, model, turn }: MediaCall): { path: string; body: Record<string, unknown> } {
  const { voice, speed } = mediaFor(model, settings.media);
  const body = { model, input: turn.text, voice, response_format: 'mp3', ...(speed === 1 ? {} : { speed }), ...groupOf(settings) };
  return { path: 'audio/speech', body };
}

export function transcriptCall({ settings, model, turn }: MediaCall, sound: File): { path: string; body: FormData } {
  const { language, isTranslated } = mediaFor(model, settings.media);
  const form = formOf({
    model,
    response_format: 'json',
    ...(turn.text === '' ? {} : { prompt: turn.text }),
    ...(language === '' || isTranslated ? {} : { language }),
    ...groupOf(settings),
  });
  form.append('file', sound, sound.name);
  return { path: isTranslated ? 'audio/translations' : 'audio/transcriptions', body: form };
}

/** https://platform.openai.com/docs/api-reference/videos/create */
export function videoCall({ settings, model, turn }: MediaCall): { path: string; body: Record<string, unknown> | FormData } {
  const { size, seconds } = videoOf(model, mediaFor(model, settings.media));
  const fields = { model, prompt: turn.text, seconds: String(seconds), size, ...groupOf(settings) };
  const [first] = turn.pictures;
  if (first === undefined) return { path: 'videos', body: fields };
  const form = formOf(fields);
  form.append('input_reference', bytesOf(first.url), first.name);
  return { path: 'videos', body: form };
}

function groupOf({ group }: Conversation['settings']): { group?: string } {
  return group === '' ? {} : { group };
}

function formOf(fields: Record<string, unknown>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
  return form;
}

function sentBytes({ url }: Picture, isMasked: boolean): Blob | Promise<Blob> {
  return isMasked ? pngOf(bytesOf(url)) : bytesOf(url);
}

function bytesOf(url: string): Blob {
  const [head = '', data = ''] = url.split(',', 2);
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  return new Blob([bytes], { type: /^data:([\w/+.-]+)/.exec(head)?.[1] ?? 'image/jpeg' });
}
