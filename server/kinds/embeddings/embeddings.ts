// Embeddings: translated through lists of texts and vectors; bytes pass if both ends use one format.
import { writeJson } from '#server/framing/long-json.ts';
import { AppError } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import type { TokenUsage } from '#shared/token-usage.ts';
import type { DecodeInput } from '#server/formats/decoded-whole.ts';
import type { CallInput, EncodedRequest } from '#server/formats/encode-input.ts';
import { withoutSurcharges } from '#server/formats/surcharges.ts';
import type { DecodeTokens } from '#server/formats/token-lists.ts';
import { badField } from '#server/framing/strict-fields.ts';
import type { Route } from '#server/formats/route.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import { type CallKind, type CallsByVendor, type Decoded, identityOfFormat, jsonType, megabyte } from '../call-kind.ts';
import { encoded, errorIn, forwardBody, withOverride, unwritten } from '../forward-body.ts';
import { cohere } from './cohere.ts';
import { dashscope } from './dashscope.ts';
import { ernie } from './ernie.ts';
import type { EmbeddingsClient, EmbeddingsProvider, EmbeddingsRequest, ForwardedEmbeddings } from './embeddings-parts.ts';
import { gemini } from './gemini.ts';
import { geminiEmbeddings } from './gemini-client.ts';
import { hunyuan } from './hunyuan.ts';
import { minimax } from './minimax.ts';
import { ollama } from './ollama.ts';
import { openai } from './openai.ts';
import { openaiEmbeddings } from './openai-client.ts';
import { vertex } from './vertex.ts';

/** Callers' requests. */
const clients: CallsByVendor<EmbeddingsClient> = { openai: openaiEmbeddings, google: geminiEmbeddings };
/** Upstream formats by the name in a provider's record, or by its dialect's name; without one, bytes pass. */
const providers: Readonly<Record<string, EmbeddingsProvider>> = {
  'openai-chat': openai,
  gemini,
  ollama,
  dashscope,
  cohere,
  ernie,
  hunyuan,
  minimax,
  vertex,
};

export const embeddings: CallKind = {
  name: 'embeddings',
  canStream: false,
  // 2048 vectors of 3072 numbers take ninety.
  mostResponseBytes: 128 * megabyte,
  contentType: jsonType,
  isWritten: false,
  isCount: false,
  over: null,
  identityOf: identityOfFormat,
  clientCall: ({ surface }) => clients[surface.vendor],
  encode,
  decode,
  decodeLong,
};

function clientOf({ client }: { client: CallInput['client'] }): EmbeddingsClient {
  const found = clients[client.surface.vendor];
  if (found === undefined) throw new AppError('format_unsupported');
  return found;
}

/** Returns null if the provider uses the caller's format. */
function providerOf({ client, route }: { client: CallInput['client']; route: Route }): EmbeddingsProvider | null {
  const name = route.provider.embeddings ?? route.dialect.name;
  if (name === client.name) return null;
  const found = providers[name];
  if (found === undefined) throw new AppError('format_unsupported');
  return found;
}

function encode(requested: CallInput, decodeTokens: DecodeTokens): EncodedRequest | Promise<EncodedRequest> {
  const provider = providerOf(requested);
  if (provider === null) {
    const write = clientOf(requested).forward.request;
    if (write === undefined) return forwardBody(requested);
    const { call, dropped } = withoutSurcharges(requested);
    const own = write(call.body, requested.route.upstreamModel);
    const text = call.isPassThrough === true ? call.rawText : writeJson(withOverride(own.body, call), call.longTexts);
    return { ...encoded(requested, text), dropped, isBatch: own.isBatch };
  }
  const write = (request: EmbeddingsRequest): EncodedRequest => {
    const most = provider.mostInputs?.(requested.route.upstreamModel) ?? Infinity;
    // The next channel's provider may accept more.
    if (request.inputs.length > most) throw badField('input', fieldRules.most(most));
    const { body, headers = null, dropped, isBatch = false } = provider.writeRequest(request, requested.route.upstreamModel);
    return {
      ...encoded(requested, writeJson(withOverride(body, requested), requested.longTexts)),
      headers,
      dropped: [...(request.lost ?? []), ...dropped],
      isBatch,
    };
  };
  const request = clientOf(requested).readRequest(requested.body, decodeTokens);
  return request instanceof Promise ? request.then(write) : write(request);
}

function decode(input: DecodeInput): Decoded {
  const text = input.body.toString('utf8');
  const error = errorIn(input, text);
  const reported = error === null ? parseObject(text) : null;
  if (reported === null) return { kind: 'failed', error };
  const provider = providerOf(input);
  if (provider === null) return forwarded(clientOf(input).forward.whole(input, text, reported));
  const response = provider.readResponse(reported);
  if (response === null) return { kind: 'failed', error: null };
  const write = (usage: TokenUsage | null) => clientOf(input).writeResponse({ ...response, usage: usage ?? response.usage }, input);
  return {
    ...unwritten,
    usage: response.usage,
    isEmpty: response.vectors.length === 0,
    body: (usage) => Buffer.from(JSON.stringify(write(usage))),
  };
}

function* decodeLong(input: DecodeInput): Generator<void, Decoded> {
  if (providerOf(input) !== null) return decode(input);
  const long = yield* clientOf(input).forward.long(input);
  if (long === null) return { kind: 'failed', error: null };
  const error = errorIn(input, long.outline);
  return error === null ? forwarded(long.forwarded) : { kind: 'failed', error };
}

function forwarded(response: ForwardedEmbeddings | null): Decoded {
  if (response === null) return { kind: 'failed', error: null };
  const { usage, isEmpty, body } = response;
  return { ...unwritten, usage, isEmpty, body: () => body };
}
