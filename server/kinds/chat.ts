// Chat, translated between formats through parts.
import { decodeLong } from '#server/formats/decode-long.ts';
import { decodeWhole } from '#server/formats/decode-whole.ts';
import { encodeRequest } from '#server/formats/encode-request.ts';
import { type CallKind, identityOfFormat, jsonType, megabyte } from './call-kind.ts';

export const chat: CallKind = {
  name: 'chat',
  canStream: true,
  // Log probabilities make a response long.
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
