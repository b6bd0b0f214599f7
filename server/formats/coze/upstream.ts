// Bots of Coze (chats, version 3) as a format that providers speak; no caller does. They cannot be told a limit of tokens.
// https://www.coze.cn/open/docs/developer_guides/chat_v3
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { errorInResponse } from '../stream-pipe.ts';
import { noLimits } from '../token-limits.ts';
import type { UpstreamDialect } from '../upstream-dialect.ts';
import { createAwaiting } from './awaiting.ts';
import { readError } from './errors.ts';
import { createStreamReader, readWhole } from './read-response.ts';
import { carriedFields } from './said-fields.ts';
import { title } from './title.ts';
import { writeRequest } from './write-request.ts';
import { createStreamWriter } from './write-stream.ts';
import { allButSound } from '../media-addresses.ts';

export const cozeUpstream: UpstreamDialect = {
  name: 'coze',
  title,
  limits: noLimits,
  carriedFields,
  identity: null,
  // Nothing of the account is named in a conversation.
  findAccountObject: () => undefined,
  addressUse: allButSound,
  writeRequest,
  // Somebody has to ask. Who is not named is somebody else each time: a bot may remember whom it talks to.
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
  createStreamWriter,
  isEvent: ({ name }) => name === 'error' || name === 'done' || name.startsWith('conversation.'),
  readError(text) {
    const error = readError(parseObject(text));
    return error === null ? null : errorInResponse(error);
  },
};
