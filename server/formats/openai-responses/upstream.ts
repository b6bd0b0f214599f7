// Upstream dialect of OpenAI's Responses.
import { writesLongCache } from '../long-cache.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import { forwardLong, forwardWhole } from '../forward-response.ts';
import type { DeepWhole, FailedWhole, ForwardedWhole } from '../decoded-whole.ts';
import { chargedGatewayFields } from '../gateway-fields.ts';
import type { UpstreamDialect } from '../upstream-dialect.ts';
import { counted, effortIn, forwardRequest } from './identity.ts';
import { ResponsesIdentityStream } from './identity-stream.ts';
import { findAccountObject } from './provider-objects.ts';
import { hosted } from './hosted-tools.ts';
import { limits } from './limits.ts';
import { gathering } from './gathering.ts';
import { errorIn } from './read-error.ts';
import { readWhole } from './read-response.ts';
import { createStreamReader } from './read-stream.ts';
import { carriedFields } from './format-fields.ts';
import { withReasoning } from './token-usage.ts';
import { applyTraits } from './traits.ts';
import { unmappedFields } from './unmapped-fields.ts';
import { leastMaxTokens, writeRequest } from './write-request.ts';
import { allButSound } from '../media-addresses.ts';

export const openaiResponsesUpstream: UpstreamDialect = {
  name: 'openai-responses',
  limits,
  carriedFields,
  identity: {
    writeRequest: forwardRequest,
    readWhole: (input) => withIncludedReasoning(forwardWhole(input)),
    *readLong(input) {
      return withIncludedReasoning(yield* forwardLong(input));
    },
    openStream: (input) => new ResponsesIdentityStream(input),
  },
  hosted,
  searchesStores: true,
  findAccountObject,
  addressUse: allButSound,
  writeRequest,
  // https://platform.openai.com/docs/guides/priority-processing https://platform.openai.com/docs/guides/prompt-caching
  writesLong: writesLongCache,
  surcharges: {
    fields: {
      ...chargedGatewayFields,
      service_tier: ['auto', 'default', 'flex', 'standard'],
      'reasoning.mode': ['standard'],
      // Access programs are the operator's choice, and a rejection by the provider would be held against the channel.
      'access_programs.cyber': ['standard'],
      'prompt_cache_options.ttl': ['30m'],
    },
    marks: { prompt_cache_breakpoint: { ttl: ['30m'] } },
  },
  applyTraits,
  effortOf: effortIn,
  leastMaxTokens,
  leastLimit: () => leastMaxTokens,
  takesAllowedTools: true,
  unmappedFields,
  readWhole,
  createStreamReader,
  gathering,
  isEvent: ({ data }) => parseObject(data) !== null,
  readError: errorIn,
  countBody: counted,
  readTokenCount: ({ input_tokens: tokens }) =>
    typeof tokens === 'number' && Number.isInteger(tokens) && tokens >= 0 ? tokens : undefined,
};

function withIncludedReasoning(read: ForwardedWhole | DeepWhole | FailedWhole): ForwardedWhole | DeepWhole | FailedWhole {
  return read.kind === 'whole' ? { ...read, body: (usage) => withReasoning(read.body(usage), read.usage) } : read;
}
