// Upstream dialect of Dify's applications (chatflows, agents, text generators, workflows). No client dialect, no token limits.
// https://docs.dify.ai/en/guides/application-publishing/developing-with-apis
import { parseObject } from '#server/framing/loose-json.ts';
import { errorInResponse } from '../stream-pipe.ts';
import { noLimits } from '../token-limits.ts';
import type { UpstreamDialect } from '../upstream-dialect.ts';
import { forApplication } from './application.ts';
import { readError } from './errors.ts';
import { createStreamReader, readWhole } from './read-response.ts';
import { carriedFields } from './format-fields.ts';
import { title } from './title.ts';
import { writeRequest } from './write-request.ts';
import { allButSound } from '../media-addresses.ts';

export const difyUpstream: UpstreamDialect = {
  name: 'dify',
  title,
  limits: noLimits,
  carriedFields,
  identity: null,
  // Conversations contain no ids of the account.
  findAccountObject: () => undefined,
  addressUse: allButSound,
  writeRequest,
  // A user is required; without one, each call is a new user.
  applyTraits: (body, { requestId }) => ({ body: 'user' in body ? body : { ...body, user: `chatcmpl-${requestId ?? ''}` }, dropped: [] }),
  // Applied after the channel's overrides, which may add inputs.
  normalize: (body, { route }) => forApplication(body, route.nameThere),
  // Files belong to the user who uploaded them.
  desk: {
    path: (call) => call.replace(/\/v1\/[^?]*(?:\?.*)?$/, '/v1/files/upload'),
    fields: ({ user }) => ({ user: oneLine(user) }),
    nameOf: ({ id }) => id,
  },
  effortOf: () => undefined,
  readWhole,
  createStreamReader,
  isEvent: ({ data }) => typeof parseObject(data)?.['event'] === 'string',
  readError(text) {
    const error = text.includes('"error"') ? readError(parseObject(text)) : null;
    return error === null ? null : errorInResponse(error);
  },
};

/** Line breaks could start another form field. */
function oneLine(user: unknown): string {
  return typeof user === 'string' ? user.replaceAll(/[\r\n]/g, ' ') : '';
}
