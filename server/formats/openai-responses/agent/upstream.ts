// Upstream dialect of Perplexity's Agent API. It is no client dialect, because its streams lack events that SDKs rely on.
import { openaiResponsesUpstream } from '../upstream.ts';
import { hosted } from '../hosted-tools.ts';
import type { UpstreamDialect } from '../../upstream-dialect.ts';
import { searchesOf } from './models.ts';
import { createStreamReader, readWhole } from './read-response.ts';
import { carriedFields } from './format-fields.ts';
import { title } from './title.ts';
import { applyTraits } from './traits.ts';
import { writeRequest } from './write-request.ts';
import { allButSound } from '../../media-addresses.ts';

const { limits, findAccountObject, effortOf, leastMaxTokens, leastLimit, isEvent, readError } = openaiResponsesUpstream;

export const perplexityAgentUpstream: UpstreamDialect = {
  name: 'perplexity-agent',
  title,
  limits,
  carriedFields,
  identity: null,
  hosted: {
    find: hosted.find,
    without: hosted.without,
    always(model) {
      const most = searchesOf(model);
      return most === undefined ? [] : [{ kind: 'web_search', ...(most === 0 ? {} : { most }) }];
    },
  },
  signedCalls: 'gemini',
  findAccountObject,
  addressUse: allButSound,
  writeRequest,
  applyTraits,
  effortOf,
  ...(leastMaxTokens === undefined ? {} : { leastMaxTokens }),
  ...(leastLimit === undefined ? {} : { leastLimit }),
  readWhole,
  createStreamReader,
  isEvent,
  readError,
};
