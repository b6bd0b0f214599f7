// Response that is no conversation, requested by the model's kind. Loaded on demand.
import { translate } from '#pwa/i18n/setup.ts';
import { CallFailure } from '#pwa/api/failure.ts';
import type { ModelKind } from '#pwa/api/chat-models.ts';
import { makePictures, orderVideo, speak, transcribe } from '#pwa/api/make-media.ts';
import type { PlaygroundCall } from '#pwa/api/playground-call.ts';
import type { Answer, Conversation, Turn } from '#pwa/offline/conversation.ts';
import { pictureCall, speechCall, transcriptCall, videoCall } from './media-body.ts';
import { soundOf } from './recent-sounds.ts';

interface MediaRequest {
  kind: Exclude<ModelKind, 'chat'>;
  model: string;
  settings: Conversation['settings'];
  turn: Turn;
  /** A picture that is not finished yet. */
  onPreview: (url: string) => void;
}

/** @throws {CallFailure} */
export async function fetchMedia(request: MediaRequest, way: Pick<PlaygroundCall, 'signal' | 'onStart'>): Promise<Partial<Answer>> {
  switch (request.kind) {
    case 'picture':
      return { pictures: (await makePictures({ ...(await pictureCall(request)), ...way }, request.onPreview)).map((url) => ({ url })) };
    case 'speech':
      return { sound: { url: await speak({ ...speechCall(request), ...way }) } };
    case 'video':
      // It is made step by step: `follow-videos.ts` polls it.
      return { state: 'running', video: await orderVideo({ ...videoCall(request), ...way }) };
    case 'transcript': {
      const sound = soundOf(request.turn.id);
      if (sound === undefined) throw new CallFailure({ code: 'sound_gone', message: translate('playground.sound.gone') });
      return { text: await transcribe({ ...transcriptCall(request, sound), ...way }) };
    }
  }
}
