// Upstream dialect of Coze's bots (chat API, version 3). No client dialect, no token limits.
// https://www.coze.cn/open/docs/developer_guides/chat_v3
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { errorInResponse } from '../stream-pipe.ts';
import { noLimits } from '../token-limits.ts';
import type { UpstreamDialect } from '../upstream-dialect.ts';
import { createAwaiting } from './awaiting.ts';
import { readError } from './errors.ts';
import { createStreamReader, readWhole } from './read-response.ts';
import { carriedFields } from './format-fields.ts';
import { title } from './title.ts';
import { writeRequest } from './write-request.ts';
import { allButSound } from '../media-addresses.ts';

export const cozeUpstream: UpstreamDialect = {
  name: 'coze',
  title,
  limits: noLimits,
  carriedFields,
  identity: null,
  // Conversations contain no ids of the account.
  findAccountObject: () => undefined,
  addressUse: allButSound,
  writeRequest,
  // A user is required; without one, each call is a new user, since a bot may remember its users.
  applyTraits: (body, { requestId, route }) => ({
    body: { bot_id: route.nameThere, user_id: `chatcmpl-${requestId ?? ''}`, ...body },
    dropped: [],
  }),
  // https://www.coze.cn/open/docs/developer_guides/upload_files
  desk: {
    path: (call) => call.replace(/\/v3\/chat(?:\?.*)?$/, '/v1/files/upload'),
    fields: () => ({}),
    nameOf: ({ code, data }) => (code === 0 && isObject(data) ? data['id'] : undefined),
  },
  effortOf: () => undefined,
  createAwaiting: ({ path }) => createAwaiting(path),
  readWhole,
  createStreamReader,
  isEvent: ({ name }) => name === 'error' || name === 'done' || name.startsWith('conversation.'),
  readError(text) {
    const error = readError(parseObject(text));
    return error === null ? null : errorInResponse(error);
  },
};
