// Pictures, speech, transcripts and orders of videos of the playground: whole answers. https://platform.openai.com/docs/api-reference/images, /audio and /videos
import { z } from 'zod/mini';
import { translate } from '#pwa/i18n/setup.ts';
import { CallFailure } from './failure.ts';
import { failureIn, parse, type PlaygroundCall, readingOn, sendToPlayground } from './playground-call.ts';
import { reportOutcome } from './outcomes.ts';
import { eventsOf } from './stream-chat.ts';

const Pictures = z.looseObject({
  data: z.array(z.looseObject({ b64_json: z.nullish(z.string()), url: z.nullish(z.string()) })),
});
const PictureEvent = z.looseObject({ type: z.catch(z.string(), ''), b64_json: z.nullish(z.string()), error: z.optional(z.unknown()) });
const Transcript = z.looseObject({ text: z.string() });
const Video = z.looseObject({ id: z.string(), size: z.string(), seconds: z.string() });

/** Returns data URLs, or addresses at the provider. @throws {CallFailure} */
export async function makePictures(call: PlaygroundCall, onPreview: (url: string) => void): Promise<string[]> {
  const { response, requestId } = await sendToPlayground(call, 'application/json, text/event-stream');
  const { body: stream } = response;
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true && stream !== null;
  if (isStream) return readingOn(call, () => lastPicture(stream, { onPreview, requestId, details: `POST /pg/${call.path}` }));
  const text = await readingOn(call, () => response.text());
  reportOutcome('answered');
  const { data } = Pictures.safeParse(parse(text)).data ?? {};
  const urls = (data ?? []).flatMap(({ b64_json: bytes, url }) => (bytes ? [`data:${typeIn(bytes)};base64,${bytes}`] : url ? [url] : []));
  if (urls.length === 0) throw new CallFailure({ code: 'nothing', message: translate('playground.answer.nothing') });
  return urls;
}

interface Streamed {
  onPreview: (url: string) => void;
  requestId: string | undefined;
  details: string;
}

/** https://platform.openai.com/docs/api-reference/images-streaming */
async function lastPicture(stream: ReadableStream<Uint8Array>, { onPreview, ...told }: Streamed): Promise<string[]> {
  reportOutcome('answered');
  const made: string[] = [];
  for await (const data of eventsOf(stream)) {
    const event = PictureEvent.safeParse(parse(data)).data;
    if (event?.error) throw failureIn(event, { status: 502, ...told });
    if (!event?.b64_json) continue;
    const url = `data:${typeIn(event.b64_json)};base64,${event.b64_json}`;
    if (event.type.endsWith('.completed')) made.push(url);
    else onPreview(url);
  }
  if (made.length === 0) throw new CallFailure({ code: 'cut', message: translate('errors.server_unreachable') });
  return made;
}

/** A data URL. @throws {CallFailure} */
export async function speak(call: PlaygroundCall): Promise<string> {
  const { response } = await sendToPlayground(call, 'audio/mpeg');
  const sound = await readingOn(call, () => response.blob());
  reportOutcome('answered');
  if (sound.size === 0) throw new CallFailure({ code: 'nothing', message: translate('playground.answer.nothing') });
  return dataUrlOf(sound);
}

/** @throws {CallFailure} */
export async function transcribe(call: PlaygroundCall): Promise<string> {
  const { text } = Transcript.safeParse(await answerOf(call)).data ?? {};
  if (text === undefined) throw new CallFailure({ code: 'nothing', message: translate('playground.answer.nothing') });
  return text.trim();
}

/** What was taken. @throws {CallFailure} */
export async function orderVideo(call: PlaygroundCall): Promise<{ id: string; size: string; seconds: number }> {
  const taken = Video.safeParse(await answerOf(call)).data;
  if (taken === undefined) throw new CallFailure({ code: 'nothing', message: translate('playground.answer.nothing') });
  return { id: taken.id, size: taken.size, seconds: Number(taken.seconds) };
}

async function answerOf(call: PlaygroundCall): Promise<unknown> {
  const { response } = await sendToPlayground(call, 'application/json');
  const text = await readingOn(call, () => response.text());
  reportOutcome('answered');
  return parse(text);
}

/** By the first bytes, as they stand in base64. */
function typeIn(bytes: string): string {
  if (bytes.startsWith('/9j/')) return 'image/jpeg';
  return bytes.startsWith('UklGR') ? 'image/webp' : 'image/png';
}

function dataUrlOf(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : ''));
    reader.addEventListener('error', () => reject(reader.error ?? new Error('The sound cannot be read')));
    reader.readAsDataURL(blob);
  });
}
