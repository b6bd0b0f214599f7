// Token counts. Providers that can count are preferred, first those of the caller's format; otherwise the gateway
// counts.
import { decodeLong } from '#server/formats/decode-long.ts';
import { decodeWhole } from '#server/formats/decode-whole.ts';
import { encodeRequest } from '#server/formats/encode-request.ts';
import { type CallKind, identityOfFormat, jsonType, megabyte } from './call-kind.ts';

export const countTokens: CallKind = {
  name: 'count_tokens',
  canStream: false,
  mostResponseBytes: megabyte / 16,
  contentType: jsonType,
  isWritten: false,
  isCount: true,
  over: null,
  identityOf: identityOfFormat,
  clientCall: ({ calls }) => calls.count_tokens,
  encode: (input) => encodeRequest({ ...input, isCount: true }),
  decode: decodeWhole,
  decodeLong,
};
