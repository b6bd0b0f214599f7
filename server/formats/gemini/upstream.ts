// Upstream dialect of Gemini's `generateContent`. Model and stream flag are in the path.
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { forwardLong, forwardWhole } from '../forward-response.ts';
import { largestCount } from '../token-limits.ts';
import { tokenCount } from '../token-usage.ts';
import type { DecodeInput } from '../decoded-whole.ts';
import type { UpstreamDialect } from '../upstream-dialect.ts';
import { forwardRequest } from './identity.ts';
import { GeminiIdentityStream } from './identity-stream.ts';
import { findAccountObject } from './provider-objects.ts';
import { hosted } from './hosted-tools.ts';
import { chargedGatewayFields } from '../gateway-fields.ts';
import { limits } from './limits.ts';
import { safetySettings } from './options.ts';
import { createStreamReader, readAnswer, readWhole } from './read-response.ts';
import { readError, readStatedError } from './response-errors.ts';
import { carriedFields } from './format-fields.ts';
import { freeTiers } from './tiers.ts';
import { effortOfLevel } from './thinking.ts';
import { fitModel } from './fit-model.ts';
import { unmappedFields } from './unmapped-fields.ts';
import { withThinking } from './apply-thinking.ts';
import { addressUse } from './media.ts';
import { writeRequest } from './write-request.ts';

type Body = Readonly<Record<string, unknown>>;

export const geminiUpstream: UpstreamDialect = {
  name: 'gemini',
  limits,
  choicesIn(body) {
    const config = memberOf(body, 'generationConfig', 'generation_config');
    return largestCount(config['candidateCount'], config['candidate_count']);
  },
  carriedFields,
  surcharges: {
    fields: { ...chargedGatewayFields, serviceTier: freeTiers, service_tier: freeTiers },
    said: { serviceTier: 'google_tier' },
  },
  identity: {
    writeRequest: forwardRequest,
    readWhole: (input) => forwardWhole(asAnswer(input)),
    readLong: (input) => forwardLong(asAnswer(input)),
    openStream: (input) => new GeminiIdentityStream(input),
  },
  hosted,
  findAccountObject,
  addressUse,
  parsesResults: true,
  writeRequest,
  // Values of the caller take precedence over settings.
  applyTraits: (body, input) => {
    const { isCount, settings, route } = input;
    if (isCount === true) return { body, dropped: [] };
    const { thinkingWish: wish, knownAs: model } = route;
    const share = settings.get('gemini.thinking_adapter_budget_tokens_percentage');
    const dropped: string[] = [];
    const thinking = fitModel(wish === undefined ? body : withThinking(body, { model, wish, share }), input, dropped);
    const hasOwn = thinking['safetySettings'] !== undefined || thinking['safety_settings'] !== undefined;
    return { body: hasOwn ? thinking : { ...thinking, safetySettings: safetySettings(settings) }, dropped };
  },
  // A model in the body that differs from the path is rejected.
  normalize: ({ model: _model, ...body }, { route }) => withCountedModel(body, route.upstreamModel),
  effortOf: (body) => {
    const level = memberOf(memberOf(body, 'generationConfig', 'generation_config'), 'thinkingConfig', 'thinking_config');
    const { thinkingLevel = level['thinking_level'] } = level;
    return typeof thinkingLevel === 'string' ? effortOfLevel(thinkingLevel) : undefined;
  },
  takesAllowedTools: true,
  signedCalls: 'gemini',
  unmappedFields,
  readWhole,
  createStreamReader,
  isEvent: ({ data }) => parseObject(data) !== null,
  readError,
  // Other hosts accept the members next to the contents.
  countBody: ({ contents, systemInstruction, tools }, { upstreamModel, provider }) => {
    const counted = Object.fromEntries(Object.entries({ contents, systemInstruction, tools }).filter(([, value]) => value !== undefined));
    return provider.countsRequests === true ? { generateContentRequest: { model: `models/${upstreamModel}`, ...counted } } : counted;
  },
  readTokenCount: ({ totalTokens }) => tokenCount(totalTokens),
};

/** Variant that reads responses for callers of this format: a blocked prompt is a response. */
const answered: UpstreamDialect = { ...geminiUpstream, readWhole: readAnswer, readError: readStatedError };

function asAnswer(input: DecodeInput): DecodeInput {
  // Upstream streams are events, whatever the caller's framing.
  const { requested: _requested, ...writer } = input.writer;
  return { ...input, writer, route: { ...input.route, dialect: answered } };
}

/** Sets the model in a count of a whole request. A body with both spellings was rejected before. */
function withCountedModel(body: Body, model: string): Body {
  for (const name of ['generateContentRequest', 'generate_content_request']) {
    const counted = body[name];
    if (isObject(counted)) return { ...body, [name]: { ...counted, model: `models/${model}` } };
  }
  return body;
}

function memberOf(body: Body, ...names: readonly string[]): Body {
  return names.map((name) => body[name]).find(isObject) ?? {};
}
