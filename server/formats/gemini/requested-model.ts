// Which model is asked for, and whether it shall stream: both stand in the path.
import { fieldRules } from '#shared/field-rules.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { RequestedCall, CallAddress } from '../call-address.ts';
import { requestedModel } from '../requested-model.ts';
import { badField } from '../strict-fields.ts';
import type { Body } from '../strict-fields.ts';
import { looseMember } from '../proto-json.ts';

export const listType = 'application/json; charset=utf-8';

/** @throws {AppError} `model_required`, `invalid_request`: a body may repeat the model of the path, and name no other */
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

/** A stream that was not asked for as events is one list, written bit by bit. */
export function isList(query: URLSearchParams): boolean {
  return (query.get('alt') ?? query.get('$alt')) !== 'sse';
}

/** Some write the collection again. */
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
