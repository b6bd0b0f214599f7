// Claude's Messages as a format that providers speak.
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { errorInResponse } from '../stream-pipe.ts';
import { tokenCount } from '../token-usage.ts';
import type { UpstreamDialect } from '../upstream-dialect.ts';
import { passLong, passRequest, passWhole } from './identity.ts';
import { ClaudeIdentityStream } from './identity-stream.ts';
import { limitFields } from './limit-fields.ts';
import { lossRules } from './losses.ts';
import { modelHeaders, thinkingShare } from './options.ts';
import { createStreamReader, readError, readWhole } from './read-response.ts';
import { fitThinking } from './thinking.ts';
import { adaptThinkingSuffix, leastLimitOf } from './thinking-suffix.ts';
import { isInvalidUsage } from './token-usage.ts';
import { writeRequest } from './write-request.ts';
import { createStreamWriter } from './write-response.ts';

export const claudeUpstream: UpstreamDialect = {
  name: 'claude',
  limitFields,
  lossRules,
  identity: {
    writeRequest: passRequest,
    readWhole: passWhole,
    readLong: passLong,
    openStream: ({ tally }) => new ClaudeIdentityStream({ tally }),
  },
  writeRequest,
  // Where a prompt is only counted, nothing is thought of.
  adapt: (body, { capability, settings }) => ({
    body: capability === 'chat' ? adaptThinkingSuffix(body, thinkingShare(settings)) : body,
    dropped: [],
  }),
  // What the client itself wrote, and nothing changed, is between it and the provider.
  mend: (body, { clientBody }) =>
    body['max_tokens'] !== clientBody['max_tokens'] || body['thinking'] !== clientBody['thinking'] ? fitThinking(body) : body,
  headers: ({ settings, originModel }) => modelHeaders(settings, originModel),
  effortOf: ({ output_config: output }) => (isObject(output) && typeof output.effort === 'string' ? output.effort : undefined),
  leastLimit: (body, model, settings) => (thinkingShare(settings) === null ? 0 : leastLimitOf(body, model)),
  readWhole,
  isInvalidUsage,
  createStreamReader,
  createStreamWriter,
  isEvent: (data) => parseObject(data) !== null,
  readError(text) {
    const body = text.includes('"error"') ? parseObject(text) : null;
    const error = body === null ? null : readError(body);
    return error === null ? null : errorInResponse(error);
  },
  readTokenCount: ({ input_tokens: tokens }) => tokenCount(tokens),
};
