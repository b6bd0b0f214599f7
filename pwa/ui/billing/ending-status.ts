// The shape of each ending of a call, wherever calls are listed.
import type { Ending } from '#shared/log-ending.ts';
import type { Status } from '#pwa/ui/controls/status-mark.tsx';

export const endingStatus: Readonly<Record<Ending, Status>> = {
  well: 'on',
  refused: 'failed',
  account_refused: 'failed',
  rate_limited: 'failed',
  upstream_fault: 'failed',
  error_inside: 'failed',
  unreachable: 'failed',
  timed_out: 'failed',
  unreadable: 'failed',
  broke_off: 'failed',
  failed: 'failed',
  truncated: 'look',
  stalled: 'look',
  upstream_error: 'look',
  unsendable: 'failed',
  invalid_answer: 'failed',
  invalid_usage: 'look',
  client_closed: 'note',
  client_left: 'note',
  shutdown: 'note',
  overdraft: 'empty',
  blocked_words: 'look',
  fault: 'failed',
  other: 'note',
};
