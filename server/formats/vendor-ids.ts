// Adds the prefix that SDKs of a client's vendor expect to ids. The id of a tool call returns with its result and must be
// restored for its provider, so a foreign id is encoded after the prefix.
import type { ResponseWriterOptions } from './client-dialect.ts';

type IdOptions = Pick<ResponseWriterOptions, 'requestId' | 'preservesIds'>;

/** @param reported id of the upstream; may be empty */
export function responseId(prefix: string, reported: string, { requestId, preservesIds = false }: IdOptions): string {
  return reported.startsWith(prefix) || (preservesIds && reported !== '') ? reported : `${prefix}${requestId}`;
}

const plain = 'via_';
const encoded = 'b64_';

/** Characters that every vendor accepts in ids. */
const plainId = /^[\w-]*$/;

/** Maps ids of tool calls for a format with that prefix. */
export function callIdsWith(prefix: string) {
  return {
    write: (id: string, { preservesIds = false }: Pick<IdOptions, 'preservesIds'> = {}) => (preservesIds ? id : writeCallId(prefix, id)),
    read: (id: string) => readCallId(prefix, id),
  };
}

function writeCallId(prefix: string, id: string): string {
  if (id.startsWith(prefix) && readCallId(prefix, id) === id) return id;
  return plainId.test(id) ? `${prefix}${plain}${id}` : `${prefix}${encoded}${Buffer.from(id).toString('base64url')}`;
}

function readCallId(prefix: string, id: string): string {
  if (id.startsWith(`${prefix}${plain}`)) return id.slice(prefix.length + plain.length);
  if (!id.startsWith(`${prefix}${encoded}`)) return id;
  return Buffer.from(id.slice(prefix.length + encoded.length), 'base64url').toString();
}
