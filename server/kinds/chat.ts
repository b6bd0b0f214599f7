// A conversation that a model answers in words: over parts, in any format at either end.
import { decodeLong } from '#server/formats/decode-long.ts';
import { decodeWhole } from '#server/formats/decode-whole.ts';
import { encodeRequest } from '#server/formats/encode-request.ts';
import type { CallKind } from './call-kind.ts';
import { identityOfFormat, jsonType, megabyte } from './call-kind.ts';

export const chat: CallKind = {
  name: 'chat',
  canStream: true,
  // One that says what each of its tokens might have been has a few of them.
  mostResponseBytes: 32 * megabyte,
  contentType: jsonType,
  isWritten: true,
  isCount: false,
  over: null,
  identityOf: identityOfFormat,
  clientCall: ({ calls }) => calls.chat,
  encode: encodeRequest,
  decode: decodeWhole,
  decodeLong,
};
