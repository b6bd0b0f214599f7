// Documents in the order of their relevance to a question. Callers ask as Jina or Cohere has it, which differ in little but the response;
// providers are asked in the same words, and differ by what `forms` says.
// https://api.jina.ai/redoc#tag/rerank, https://docs.cohere.com/v1/reference/rerank
import { AppError } from '#shared/errors.ts';
import type { DecodeInput } from '#server/dialects/decoded-whole.ts';
import type { CallInput, EncodedRequest } from '#server/dialects/encode-input.ts';
import { withoutSurcharges } from '#server/dialects/surcharges.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import type { CallKind, Decoded } from '../call-kind.ts';
import { identityOfFormat, jsonType, megabyte } from '../call-kind.ts';
import { encoded, errorIn, forwardBody, inOneStep, overrideOf, unwritten } from '../forward-body.ts';
import { rerankClient } from './rerank-client.ts';
import type { RerankForm } from './rerank-parts.ts';
import { readResponse } from './read-response.ts';
import { writeRequest } from './write-request.ts';
import { writeResponse } from './write-response.ts';

/** By the name that a provider's record has for them. */
const forms: Readonly<Record<string, RerankForm>> = {
  cohere: {
    saysReturn: true,
    rename: { max_chunk_per_doc: 'max_chunks_per_doc' },
    fields: ['model', 'query', 'documents', 'top_n', 'rank_fields', 'return_documents', 'max_chunks_per_doc', 'max_tokens_per_doc'],
  },
  // https://docs.siliconflow.cn/cn/api-reference/rerank/create-rerank
  siliconflow: { textsOnly: true, rename: { max_chunk_per_doc: 'max_chunks_per_doc' } },
  // https://inference.readthedocs.io/en/latest/models/model_abilities/rerank.html
  xinference: { textsOnly: true },
};
const anyForm: RerankForm = {};

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
  const form = provider.rerank === undefined ? anyForm : forms[provider.rerank];
  if (form === undefined) throw new AppError('format_unsupported');
  const written = writeRequest(call.body, form);
  if (written === null) return forwardBody(asked);
  const text = JSON.stringify({ ...written.body, model: upstreamModel, ...overrideOf(call) });
  return { ...encoded(asked, text), dropped: [...dropped, ...written.dropped] };
}

function decode(input: DecodeInput): Decoded {
  const text = input.body.toString('utf8');
  const error = errorIn(input, text);
  const told = error === null ? parseObject(text) : null;
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
