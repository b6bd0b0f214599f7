// Applications of Dify (chatflows and agents, text generators, workflows) as a format that providers speak; no caller does. They cannot be told a limit of tokens.
// https://docs.dify.ai/en/guides/application-publishing/developing-with-apis
import { parseObject } from '#server/framing/loose-json.ts';
import { errorInResponse } from '../stream-pipe.ts';
import { noLimits } from '../token-limits.ts';
import type { UpstreamDialect } from '../upstream-dialect.ts';
import { forApplication } from './application.ts';
import { readError } from './errors.ts';
import { createStreamReader, readWhole } from './read-response.ts';
import { carriedFields } from './said-fields.ts';
import { title } from './title.ts';
import { writeRequest } from './write-request.ts';
import { createStreamWriter } from './write-stream.ts';
import { allButSound } from '../media-addresses.ts';

export const difyUpstream: UpstreamDialect = {
  name: 'dify',
  title,
  limits: noLimits,
  carriedFields,
  identity: null,
  // Nothing of the account is named in a conversation.
  findAccountObject: () => undefined,
  addressUse: allButSound,
  writeRequest,
  // Somebody has to ask. Who is not named is somebody else each time.
  applyTraits: (body, { requestId }) => ({ body: 'user' in body ? body : { ...body, user: `chatcmpl-${requestId ?? ''}` }, dropped: [] }),
  // Behind the channel's overrides, which may have further inputs.
  normalize: (body, { route }) => forApplication(body, route.nameThere),
  // Files are their uploader's.
  desk: {
    path: (call) => call.replace(/\/v1\/[^?]*(?:\?.*)?$/, '/v1/files/upload'),
    fields: ({ user }) => ({ user: oneLine(user) }),
    nameOf: ({ id }) => id,
  },
  effortOf: () => undefined,
  readWhole,
  createStreamReader,
  createStreamWriter,
  isEvent: ({ data }) => typeof parseObject(data)?.['event'] === 'string',
  readError(text) {
    const error = text.includes('"error"') ? readError(parseObject(text)) : null;
    return error === null ? null : errorInResponse(error);
  },
};

/** Within a form, where others could be begun by line breaks. */
function oneLine(user: unknown): string {
  return typeof user === 'string' ? user.replaceAll(/[\r\n]/g, ' ') : '';
}
