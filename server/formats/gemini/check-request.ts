// Validates a `generateContent` request before any cost; fast, because every call is validated.
import { AppError } from '#shared/errors.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { type CallParameters, plainTokenBytes } from '../client-dialect.ts';
import { badField, type Body, StrictFields } from '#server/framing/strict-fields.ts';
import { limits } from './limits.ts';
import { looseMember, objectsOf, plainNames } from '../proto-json.ts';

/** Maximum tokens that a client may request. */
const tokenLimit = 1_073_741_823;
const mostCandidates = 8;
const mostAlternatives = 20;
const objectOrList = { zh: '必须是对象或对象的数组', en: 'must be an object or a list of objects' };

/** @throws {AppError} 400 with the field at fault */
export function checkRequest(body: Body): void {
  const fields = new StrictFields(plainNames(body));
  checkContents(fields);
  checkContent(fields.fields('systemInstruction'));
  checkList(fields, 'tools');
  fields.object('toolConfig');
  const written = fields.object('generationConfig');
  if (written === undefined) return;
  const config = new StrictFields(plainNames(written, 'generationConfig'), 'generationConfig');
  config.integer('maxOutputTokens', 0, tokenLimit);
  config.integer('candidateCount', 0, mostCandidates);
  config.integer('logprobs', 0, mostAlternatives);
  config.boolean('responseLogprobs');
  for (const field of ['temperature', 'topP', 'topK', 'seed']) config.number(field);
  config.list('stopSequences');
  const thinking = config.object('thinkingConfig');
  if (thinking !== undefined) plainNames(thinking, 'generationConfig.thinkingConfig');
}

/**
 * Validates a token count request, which has contents or a whole request.
 * @throws {AppError} 400 with the field at fault
 */
export function checkCount(body: Body): void {
  const whole = new StrictFields(plainNames(body)).object('generateContentRequest');
  if (whole !== undefined) checkRequest(whole);
  else checkContents(new StrictFields(plainNames(body)));
}

function checkContents(fields: StrictFields): void {
  checkList(fields, 'contents');
  const contents = objectsOf(fields, 'contents');
  if (contents.length === 0) throw new AppError('invalid_text_request', {}, { field: 'contents' });
  for (const content of contents) {
    content.text('role');
    checkContent(content);
  }
}

function checkContent(content: StrictFields | undefined): void {
  if (content !== undefined) checkList(content, 'parts');
}

function checkList(fields: StrictFields, field: string): void {
  const value = fields.raw(field);
  if (value !== undefined && !Array.isArray(value) && !isObject(value)) throw badField(fields.path(field), objectOrList);
  objectsOf(fields, field);
}

/** Bytes of an alternative token with its text and log probability. */
const alternativeBytes = 120;

/** Requires a body that `checkRequest` accepted. */
export function callParameters(body: Body): CallParameters {
  const config = looseMember(body, 'generationConfig');
  const member = (name: string) => (isObject(config) ? looseMember(config, name) : undefined);
  const choices = Number(member('candidateCount') ?? 1);
  const alternatives = Number(member('logprobs') ?? 0);
  return {
    maxTokens: limits.read(body) ?? 0,
    choices: Math.max(1, choices),
    // Every stream of this format ends with usage.
    wantsUsage: true,
    mostTokenBytes: plainTokenBytes + (member('responseLogprobs') === true ? alternativeBytes * (1 + alternatives) : 0),
  };
}
