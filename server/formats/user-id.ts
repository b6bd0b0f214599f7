// End user ids for other vendors: rejected ones become a stable hash.
import { createHash } from 'node:crypto';

/** Longer ones are rejected; Claude Code's are longer. */
const openaiLongest = 64;
/** Names, mail addresses and telephone numbers are rejected. https://platform.claude.com/docs/en/api/messages */
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
