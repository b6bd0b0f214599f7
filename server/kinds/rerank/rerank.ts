// Documents in the order of their relevance to a question. Callers ask as Jina or Cohere has it, which differ in little but the response;
// providers are asked in the same words, and differ by what `forms.ts` says.
// https://api.jina.ai/redoc#tag/rerank, https://docs.cohere.com/v1/reference/rerank
import { writeJson } from '#server/framing/long-json.ts';
import { AppError } from '#shared/errors.ts';
import type { DecodeInput } from '#server/formats/decoded-whole.ts';
import type { CallInput, EncodedRequest } from '#server/formats/encode-input.ts';
import { withoutSurcharges } from '#server/formats/surcharges.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import type { CallKind, Decoded } from '../call-kind.ts';
import { identityOfFormat, jsonType, megabyte } from '../call-kind.ts';
import { encoded, errorIn, forwardBody, inOneStep, overrideOf, unwritten } from '../forward-body.ts';
import { rerankFormOf } from './vendors.ts';
import { rerankClient } from './rerank-client.ts';
import { flattened, readResponse } from './read-response.ts';
import { nest, writeRequest } from './write-request.ts';
import { writeResponse } from './write-response.ts';

export const rerank: CallKind = {
  name: 'rerank',
  canStream: false,
  mostResponseBytes: 16 * megabyte,
  contentType: jsonType,
  isWritten: false,
  isCount: false,
  over: null,
  identityOf: identityOfFormat,
  clientCall: ({ name }) => (name === 'openai-chat' ? rerankClient : undefined),
  encode,
  decode,
  decodeLong: inOneStep(decode),
};

function encode(asked: CallInput): EncodedRequest {
  const { provider, upstreamModel } = asked.way;
  if (asked.isPassThrough === true) return forwardBody(asked);
  const { call, dropped } = withoutSurcharges(asked);
  const form = rerankFormOf(provider.rerank, upstreamModel);
  if (form === undefined) throw new AppError('format_unsupported');
  const written = writeRequest(call.body, form);
  if (written === null) return forwardBody(asked);
  const own = { ...written.body, model: upstreamModel, ...overrideOf(call) };
  const text = writeJson(form.nested === undefined ? own : nest(own, form.nested), asked.longTexts);
  return { ...encoded(asked, text), dropped: [...dropped, ...written.dropped] };
}

function decode(input: DecodeInput): Decoded {
  const text = input.body.toString('utf8');
  const error = errorIn(input, text);
  const parsed = error === null ? parseObject(text) : null;
  const told = parsed === null ? null : flattened(parsed);
  const response = told === null ? null : readResponse(told, input.responseFields);
  if (told === null || response === null) return { kind: 'failed', error };
  return {
    ...unwritten,
    usage: response.usage,
    units: response.units,
    isEmpty: response.results.length === 0,
    body: (usage) => Buffer.from(JSON.stringify(writeResponse({ ...response, usage: usage ?? response.usage }, { told, input }))),
  };
}
