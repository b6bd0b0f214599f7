// Upstream dialect of Claude's Messages.
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { errorInResponse } from '../stream-pipe.ts';
import { thoughtsRule } from '../thoughts-rule.ts';
import { tokenCount } from '../token-usage.ts';
import { forwardLong, forwardWhole } from '../forward-response.ts';
import type { EncodeInput } from '../encode-input.ts';
import type { UpstreamDialect } from '../upstream-dialect.ts';
import { withoutAttribution } from './attribution.ts';
import { callIdRule } from './call-ids.ts';
import { fitCalls } from './fit-calls.ts';
import { forwardRequest, withPresentedContainer } from './identity.ts';
import { ClaudeIdentityStream } from './identity-stream.ts';
import { findAccountObject } from './provider-objects.ts';
import { openContainer } from './containers.ts';
import { hosted } from './hosted-tools.ts';
import { chargedGatewayFields } from '../gateway-fields.ts';
import { limits } from './limits.ts';
import { modelHeaders, thinkingShare } from './options.ts';
import { createStreamReader, readError, readWhole } from './read-response.ts';
import { fitModel } from './fit-model.ts';
import { fitThinking } from './thinking.ts';
import { adaptThinkingSuffix, cutThinkingSuffix, leastLimitOf } from './thinking-suffix.ts';
import { carriedFields } from './format-fields.ts';
import { withPlaceholders } from './thoughts-back.ts';
import { unmappedFields } from './unmapped-fields.ts';
import { fitVersion } from './versions.ts';
import { addressUse } from './media-addresses.ts';
import { writeRequest } from './write-request.ts';

const versionHeader = 'anthropic-version';

/** Returns the API version sent to the provider. */
function versionOf({ route: { provider, identity }, clientHeaders, settings, originModel }: EncodeInput): string | undefined {
  const callers = identity !== null && provider.apiVersion !== undefined ? clientHeaders[versionHeader] : undefined;
  return modelHeaders(settings, originModel)[versionHeader] ?? callers ?? provider.apiVersion;
}

const surchargedBetas = ['fast-mode-', 'context-1m-'];

/** Fields of a token count request; others use no tokens. https://platform.claude.com/docs/en/api/messages-count-tokens */
const countedFields: ReadonlySet<string> = new Set(['model', 'messages', 'system', 'tools', 'tool_choice']);

export const claudeUpstream: UpstreamDialect = {
  name: 'claude',
  limits,
  carriedFields,
  identity: {
    writeRequest: forwardRequest,
    readWhole: (input) => withPresentedContainer(input, forwardWhole(input)),
    *readLong(input) {
      return withPresentedContainer(input, yield* forwardLong(input));
    },
    openStream: (input) => new ClaudeIdentityStream(input),
  },
  hosted,
  findAccountObject,
  openAccountObject: openContainer,
  addressUse,
  writeRequest,
  preservesMarked: true,
  // https://platform.claude.com/docs/en/about-claude/pricing
  surcharges: {
    fields: {
      // Also the provider's own `fallbacks`: the key may lack access to these models, and their price is not reserved.
      ...chargedGatewayFields,
      service_tier: ['auto', 'default', 'flex', 'standard', 'standard_only'],
      speed: ['standard'],
      inference_geo: ['global'],
      // Billing is the operator's choice, and a rejection by the provider would be held against the channel.
      billing_policy: [],
    },
    essential: ['inference_geo'],
    headers: { 'anthropic-beta': surchargedBetas },
    // Some hosts take the header as a member of the body.
    lists: { anthropic_beta: surchargedBetas },
  },
  // A token count has no thinking: the suffix is only removed.
  applyTraits: (body, input) => {
    const { isCount, settings, route } = input;
    const own = route.provider.attribution === 'drop' ? withoutAttribution(body) : body;
    const dropped = own === body ? [] : ['system.0'];
    const fitting = fitVersion(fitCalls(own, route.provider.callIds ?? callIdRule), versionOf(input), dropped);
    const adapt = isCount === true ? cutThinkingSuffix : adaptThinkingSuffix;
    const whole = withPlaceholders(fitting, thoughtsRule(input), route.upstreamModel);
    return { body: fitModel(adapt(whole, thinkingShare(settings)), input, dropped), dropped };
  },
  // The thinking of a client's unchanged body is forwarded as is.
  normalize: (body, input) => {
    const { clientBody } = input;
    const isChanged = body['max_tokens'] !== clientBody['max_tokens'] || body['thinking'] !== clientBody['thinking'];
    // The API version also rejects fields that the channel added.
    return fitVersion(isChanged ? fitThinking(body) : body, versionOf(input), []);
  },
  versionHeader,
  headers: ({ settings, originModel }) => modelHeaders(settings, originModel),
  effortOf: ({ output_config: output }) => (isObject(output) && typeof output.effort === 'string' ? output.effort : undefined),
  leastLimit: (body, model, settings) => (thinkingShare(settings) === null ? 0 : leastLimitOf(body, model)),
  unmappedFields,
  readWhole,
  createStreamReader,
  isEvent: ({ data }) => parseObject(data) !== null,
  readError(text) {
    const body = text.includes('"error"') ? parseObject(text) : null;
    const error = body === null ? null : readError(body);
    return error === null ? null : errorInResponse(error);
  },
  countBody: (body) => Object.fromEntries(Object.entries(body).filter(([name]) => countedFields.has(name))),
  readTokenCount: ({ input_tokens: tokens }) => tokenCount(tokens),
  readOriginalTokenCount: ({ context_management: management }) =>
    isObject(management) ? tokenCount(management.original_input_tokens) : undefined,
};
