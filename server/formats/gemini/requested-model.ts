// Reads the model and the stream flag of a call, both from the path.
import { fieldRules } from '#shared/field-rules.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { RequestedCall, CallAddress } from '../call-address.ts';
import { requestedModel } from '../requested-model.ts';
import { badField, type Body } from '#server/framing/strict-fields.ts';
import { looseMember } from '../proto-json.ts';

export const listType = 'application/json; charset=utf-8';

/** @throws {AppError} `model_required`, `invalid_request`: a model in the body must equal that in the path */
export function requestedCall(body: Body, { model: named, verb, query }: CallAddress): RequestedCall {
  const model = requestedModel({ model: bareModel(named) });
  checkModel(body, '', model);
  const counted = looseMember(body, 'generateContentRequest');
  if (isObject(counted)) checkModel(counted, 'generateContentRequest.', model);
  for (const [index, request] of listOf(body['requests']).entries()) {
    if (isObject(request)) checkModel(request, `requests.${index}.`, model);
  }
  if (verb !== 'streamGenerateContent') return { model, isStream: false };
  return isList(query) ? { model, isStream: true, streamType: listType } : { model, isStream: true };
}

/** A stream without `alt=sse` is a JSON list written incrementally. */
export function isList(query: URLSearchParams): boolean {
  return (query.get('alt') ?? query.get('$alt')) !== 'sse';
}

/** Removes the prefix `models/`, which some clients repeat. */
export function bareModel(name: string | undefined): string | undefined {
  return name?.startsWith('models/') === true ? name.slice('models/'.length) : name;
}

function checkModel(body: Body, path: string, model: string): void {
  const { model: repeated } = body;
  if (repeated === undefined || repeated === null) return;
  if (typeof repeated !== 'string') throw badField(`${path}model`, fieldRules.text);
  if (bareModel(repeated) !== model)
    throw badField(`${path}model`, { zh: '必须与路径中的模型一致', en: 'must be the model that the path names' });
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
