// Who a caller calls for, as vendors of another format take it: what theirs refuse becomes an id that stays the same.
import { createHash } from 'node:crypto';

/** Longer ones are refused. Those of Claude Code are. */
const openaiLongest = 64;
/** Names, mail addresses and telephone numbers are refused. https://platform.claude.com/docs/en/api/messages */
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
