// Converts end user ids for other vendors: an id that they reject becomes a stable hash.
import { createHash } from 'node:crypto';

/** Maximum characters; Claude Code's ids are longer. */
const openaiLongest = 64;
/** Ids that are certain to be no name, mail address or telephone number, which Claude rejects. https://platform.claude.com/docs/en/api/messages */
const claudeForm = /^[\w-]{1,256}$/;

export function openaiUserId(id: string): string {
  return id.length <= openaiLongest ? id : hashOf(id);
}

export function claudeUserId(id: string): string {
  return claudeForm.test(id) ? id : hashOf(id);
}

function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}
