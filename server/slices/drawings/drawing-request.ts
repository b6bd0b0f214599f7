// Reads a Midjourney client's request from the path and the body.
import { AppError } from '#shared/errors.ts';
import type { DrawingAction } from '#shared/drawings.ts';
import { DrawingRefusal } from './refusal.ts';

type Body = Record<string, unknown>;

export interface DrawingRequest {
  action: DrawingAction;
  /** Decides channels and price. */
  model: string;
  /** Id of the drawing that this one continues. */
  originId: string | undefined;
  /** It is an input for a drawing that waits for it, so that need not be done. */
  isModal: boolean;
  prompt: string;
}

/** Requests by the last segment of the path. */
export const drawingPaths: Readonly<Record<string, (body: Body) => DrawingRequest>> = {
  imagine(body) {
    const prompt = textIn(body, 'prompt');
    if (prompt.trim() === '') throw new DrawingRefusal('prompt_is_required');
    return plain('IMAGINE', prompt);
  },
  describe: (body) => plain('DESCRIBE', textIn(body, 'prompt')),
  blend: () => plain('BLEND', ''),
  shorten: (body) => plain('SHORTEN', textIn(body, 'prompt')),
  'upload-discord-images': () => plain('UPLOAD', ''),
  change(body) {
    const action = changeAction(textIn(body, 'action'));
    const request = following(action, originIn(body));
    if (action !== 'REROLL' && !(Number(body['index']) > 0)) throw new DrawingRefusal('index_is_required');
    return request;
  },
  'simple-change': (body) => readSimpleChange(textIn(body, 'content')),
  action(body) {
    const action = actionOfCustomId(textIn(body, 'customId'));
    return following(action, originIn(body));
  },
  modal: (body) => ({ ...following('MODAL', originIn(body)), isModal: true, prompt: textIn(body, 'prompt') }),
  swap(body) {
    if (textIn(body, 'sourceBase64') === '' || textIn(body, 'targetBase64') === '')
      throw new DrawingRefusal('sour_base64_and_target_base64_is_required');
    return plain('SWAP_FACE', 'InsightFace');
  },
};

export function modelOf(action: DrawingAction): string {
  return action === 'SWAP_FACE' ? 'swap_face' : `mj_${action.toLowerCase()}`;
}

function plain(action: DrawingAction, prompt: string): DrawingRequest {
  return { action, model: modelOf(action), originId: undefined, isModal: false, prompt };
}

function following(action: DrawingAction, originId: string): DrawingRequest {
  return { ...plain(action, ''), originId };
}

/** Without a drawing to continue, the request would go to any channel. */
function originIn(body: Body): string {
  const given = body['taskId'];
  const id = typeof given === 'number' ? String(given) : textIn(body, 'taskId').trim();
  if (id === '') throw new DrawingRefusal('task_id_is_required');
  return id;
}

const changes: Readonly<Record<string, DrawingAction>> = { UPSCALE: 'UPSCALE', VARIATION: 'VARIATION', REROLL: 'REROLL' };

function changeAction(text: string): DrawingAction {
  if (text === '') throw new DrawingRefusal('action_is_required');
  const name = text.toUpperCase();
  const action = Object.hasOwn(changes, name) ? changes[name] : undefined;
  if (action === undefined) throw unknown(text);
  return action;
}

const letters: Readonly<Record<string, DrawingAction>> = { u: 'UPSCALE', v: 'VARIATION', r: 'REROLL' };

/** `<task id> U1` */
function readSimpleChange(content: string): DrawingRequest {
  const [, id = '', letter = ''] = /^\s*(\S+)\s+(?:([uv])[1-4]|r)\s*$/i.exec(content) ?? [];
  const action = id === '' ? undefined : letters[letter === '' ? 'r' : letter.toLowerCase()];
  if (action === undefined) throw new DrawingRefusal('content_parse_failed');
  return following(action, id);
}

const exactWords: Readonly<Record<string, DrawingAction>> = {
  variation: 'VARIATION',
  low_variation: 'LOW_VARIATION',
  high_variation: 'HIGH_VARIATION',
  Outpaint: 'ZOOM',
  CustomZoom: 'CUSTOM_ZOOM',
  Inpaint: 'INPAINT',
};
const indexed: ReadonlySet<DrawingAction> = new Set(['UPSCALE', 'VARIATION']);

/** `MJ::JOB::upsample::2::…`, `MJ::Outpaint::50::…` */
export function actionOfCustomId(customId: string): DrawingAction {
  if (customId === '') throw new DrawingRefusal('custom_id_is_required');
  const parts = customId.split('::', 4);
  const word = parts[1] === 'JOB' ? parts[2] : parts[1];
  if (word === undefined || word === '') throw unknown(customId);
  const action = actionOfWord(word);
  if (action === undefined) throw unknown(customId);
  if (indexed.has(action) && !/^[1-9]\d?$/.test(parts[3] ?? '')) throw new DrawingRefusal('index_parse_failed');
  return action;
}

function actionOfWord(word: string): DrawingAction | undefined {
  if (word.includes('upsample')) return 'UPSCALE';
  if (Object.hasOwn(exactWords, word)) return exactWords[word];
  if (word.includes('pan')) return 'PAN';
  return word.includes('reroll') ? 'REROLL' : undefined;
}

/** Clients know the refusal of what the model could not be found for. */
function unknown(what: string): AppError {
  const detail = `unknown_action:${what.slice(0, 100)}`;
  return new AppError('invalid_request', { detail: { zh: detail, en: detail } }, { field: 'action' });
}

function textIn(body: Body, field: string): string {
  const value = body[field];
  return typeof value === 'string' ? value : '';
}
