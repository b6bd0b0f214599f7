// Ids in the form that a client's vendor gives them: programs look at how they begin. An id of a call comes back with its result, and
// the provider that gave it has to know it again, so what is not of the form travels within one that is.
import type { ResponseWriterOptions } from './client-dialect.ts';

type IdOptions = Pick<ResponseWriterOptions, 'requestId' | 'preservesIds'>;

/** @param told the upstream's id, or empty */
export function responseId(prefix: string, reported: string, { requestId, preservesIds = false }: IdOptions): string {
  return reported.startsWith(prefix) || (preservesIds && reported !== '') ? reported : `${prefix}${requestId}`;
}

const plain = 'via_';
const encoded = 'b64_';

/** Only letters that every vendor takes in an id. */
const plainId = /^[\w-]*$/;

/** Ids of calls in a format where they begin so. */
export function callIdsWith(prefix: string) {
  return {
    /** As the client sees it. */
    write: (id: string, { preservesIds = false }: Pick<IdOptions, 'preservesIds'> = {}) => (preservesIds ? id : writeCallId(prefix, id)),
    /** As its provider gave it. */
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
