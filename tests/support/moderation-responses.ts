// OpenAI's moderations, as the fake upstream answers them: a text is flagged where it says so. https://platform.openai.com/docs/api-reference/moderations
import { isObject } from '#server/framing/loose-json.ts';
import type { Behaviour, UpstreamError } from './upstream-behaviour.ts';

const categories = [
  'harassment',
  'harassment/threatening',
  'hate',
  'hate/threatening',
  'illicit',
  'illicit/violent',
  'self-harm',
  'self-harm/instructions',
  'self-harm/intent',
  'sexual',
  'sexual/minors',
  'violence',
  'violence/graphic',
];

/** The response, or why there is none. Parts of several forms are one input, as at the vendor. */
export function moderationOf(body: unknown, { usage }: Pick<Behaviour, 'usage'>): object {
  if (!isObject(body) || typeof body['model'] !== 'string') return refusal('you must provide a model parameter', 'model');
  const { input } = body;
  if (input === undefined || input === '' || (Array.isArray(input) && input.length === 0))
    return refusal('Input must be non-empty', 'input');
  const list: unknown[] = Array.isArray(input) ? input : [input];
  const isOfParts = list.some(isObject);
  const results = isOfParts ? [resultOf(list)] : list.map((text) => resultOf([text]));
  return {
    id: 'modr-970d409ef3bef3b70c73d8232df86e7d',
    model: body['model'],
    results,
    ...(usage === undefined || usage === 'none' ? {} : { usage }),
  };
}

function resultOf(parts: readonly unknown[]): object {
  const texts = parts.map((part) => (isObject(part) ? part['text'] : part));
  const types = parts.some((part) => isObject(part) && part['type'] === 'image_url') ? ['text', 'image'] : ['text'];
  const isFlagged = texts.some((text) => typeof text === 'string' && text.includes('drown'));
  const all = <Value>(value: (name: string) => Value) => Object.fromEntries(categories.map((name) => [name, value(name)]));
  return {
    flagged: isFlagged,
    categories: all((name) => isFlagged && name === 'violence'),
    category_scores: all((name) => (isFlagged && name === 'violence' ? 0.97 : 0.0001)),
    category_applied_input_types: all((name) => (name === 'violence' ? types : [])),
  };
}

function refusal(message: string, param: string): UpstreamError {
  return { message, type: 'invalid_request_error', param, code: null };
}
