// Upstream dialect of OpenAI's Chat Completions.
import { writesLongCache } from '../long-cache.ts';
import type { UpstreamDialect } from '../upstream-dialect.ts';
import { completionsIdentity } from './completions/identity.ts';
import { isEvent } from './done-event.ts';
import { writeRequest as forwardRequest } from './identity-request.ts';
import { readWhole as forwardWhole } from './identity-response.ts';
import { ChatIdentityStream } from './identity-stream.ts';
import { findAccountObject } from './provider-objects.ts';
import { hosted } from './hosted-tools.ts';
import { chargedGatewayFields } from '../gateway-fields.ts';
import { limits } from './limits.ts';
import { readLong } from './long-response.ts';
import { createStreamReader, readWhole } from './read-response.ts';
import { cacheKeyFor } from '../prompt-cache.ts';
import { largestCount } from '../token-limits.ts';
import { applyTraits } from './traits.ts';
import { errorIn } from './response-errors.ts';
import { carriedFields } from './format-fields.ts';
import { unmappedFields } from './unmapped-fields.ts';
import { writeRequest } from './write-request.ts';

export const openaiChatUpstream: UpstreamDialect = {
  name: 'openai-chat',
  limits,
  // All generated choices are billed, also those that `best_of` discards.
  choicesIn: ({ n, best_of: written }) => largestCount(n, written),
  carriedFields,
  identity: {
    writeRequest: forwardRequest,
    readWhole: forwardWhole,
    readLong,
    openStream: (input) => new ChatIdentityStream(input),
  },
  completions: completionsIdentity,
  hosted,
  findAccountObject,
  // https://github.com/openai/openai-openapi/issues/541
  hasRefusedFunctions: ({ tools, functions, reasoning_effort: effort }, { thinking }) =>
    [tools, functions].some((list) => Array.isArray(list) && list.length > 0) &&
    !(effort === 'none' && thinking?.efforts?.includes('none') === true),
  writeRequest,
  // https://platform.openai.com/docs/guides/priority-processing
  writesLong: writesLongCache,
  surcharges: {
    fields: {
      ...chargedGatewayFields,
      service_tier: ['auto', 'default', 'flex', 'standard', 'standard_only'],
      'reasoning.mode': ['standard'],
      'prompt_cache_options.ttl': ['30m'],
    },
    marks: { prompt_cache_breakpoint: { ttl: ['30m'] } },
  },
  applyTraits(body, input) {
    const applied = applyTraits(body, input);
    const key = cacheKeyFor(applied.body, input);
    return key === undefined ? applied : { ...applied, body: { ...applied.body, prompt_cache_key: key } };
  },
  effortOf: ({ reasoning_effort: effort }) => (typeof effort === 'string' ? effort : undefined),
  unmappedFields,
  readWhole,
  createStreamReader,
  isEvent: ({ data }) => isEvent(data),
  readError: errorIn,
};
