// Reranks documents by relevance to a query. Callers use Jina's or Cohere's API, which differ mainly in the response;
// providers differ by `vendors.ts`.
// https://api.jina.ai/redoc#tag/rerank, https://docs.cohere.com/v1/reference/rerank
import { writeJson } from '#server/framing/long-json.ts';
import { AppError } from '#shared/errors.ts';
import type { DecodeInput } from '#server/formats/decoded-whole.ts';
import type { CallInput, EncodedRequest } from '#server/formats/encode-input.ts';
import { withoutSurcharges } from '#server/formats/surcharges.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import { type CallKind, type Decoded, identityOfFormat, jsonType, megabyte, openaiCall } from '../call-kind.ts';
import { encoded, errorIn, forwardBody, inOneStep, withOverride, unwritten } from '../forward-body.ts';
import { rerankFormatOf } from './vendors.ts';
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
  clientCall: openaiCall(rerankClient),
  encode,
  decode,
  decodeLong: inOneStep(decode),
};

function encode(requested: CallInput): EncodedRequest {
  const { provider, upstreamModel } = requested.route;
  if (requested.isPassThrough === true) return forwardBody(requested);
  const { call, dropped } = withoutSurcharges(requested);
  const form = rerankFormatOf(provider.rerank, upstreamModel);
  if (form === undefined) throw new AppError('format_unsupported');
  const written = writeRequest(call.body, form);
  if (written === null) return forwardBody(requested);
  const own = withOverride({ ...written.body, model: upstreamModel }, call);
  const text = writeJson(form.nested === undefined ? own : nest(own, form.nested), requested.longTexts);
  return { ...encoded(requested, text), dropped: [...dropped, ...written.dropped] };
}

function decode(input: DecodeInput): Decoded {
  const text = input.body.toString('utf8');
  const error = errorIn(input, text);
  const parsed = error === null ? parseObject(text) : null;
  const reported = parsed === null ? null : flattened(parsed);
  const response = reported === null ? null : readResponse(reported, input.responseFields);
  if (reported === null || response === null) return { kind: 'failed', error };
  return {
    ...unwritten,
    usage: response.usage,
    units: response.units,
    isEmpty: response.results.length === 0,
    body: (usage) => Buffer.from(JSON.stringify(writeResponse({ ...response, usage: usage ?? response.usage }, { reported, input }))),
  };
}
