// What a first call passes, and what stopped it: from the newest call and the newest refusal.
import type { FirstCallState, GuidedCall, GuidedRefusal } from '#shared/first-call.ts';

export const gates = ['reached', 'key', 'channel', 'charged'] as const;
export type Gate = (typeof gates)[number];
export type GateState = 'waiting' | 'passed' | 'failed';

/** Why a call was stopped, in the words of `first_call.cause.*`. */
const causes = [
  'key_missing',
  'key_cut',
  'key_unknown',
  'key_off',
  'key_spent',
  'address',
  'group',
  'banned',
  'model_denied',
  'model_unknown',
  'no_channel',
  'price',
  'user_quota',
  'token_quota',
  'busy',
  'request',
  'provider_key',
  'provider_model',
  'provider_busy',
  'provider_unreachable',
  'provider_unreadable',
  'provider_failed',
  'other',
] as const;
export type Cause = (typeof causes)[number];
/** Where it can be put right. */
export type Door = 'tokens' | 'channels' | 'channel' | 'settings' | 'users' | 'logs';

export interface Arrival {
  kind: 'waiting' | 'refused' | 'done';
  states: Record<Gate, GateState>;
  cause: Cause | undefined;
  door: Door | undefined;
  /** What the two stand on. */
  call: GuidedCall | null;
  refusal: GuidedRefusal | null;
}

interface Rule {
  gate: Gate;
  cause: Cause;
  door?: Door;
}

const rules: Record<string, Rule> = {
  key_missing: { gate: 'key', cause: 'key_missing' },
  key_invalid: { gate: 'key', cause: 'key_unknown' },
  key_disabled: { gate: 'key', cause: 'key_off', door: 'tokens' },
  key_replaced: { gate: 'key', cause: 'key_off', door: 'tokens' },
  key_expired: { gate: 'key', cause: 'key_off', door: 'tokens' },
  key_exhausted: { gate: 'charged', cause: 'key_spent', door: 'tokens' },
  ip_denied: { gate: 'key', cause: 'address', door: 'tokens' },
  token_group_disabled: { gate: 'key', cause: 'group', door: 'tokens' },
  group_deprecated: { gate: 'key', cause: 'group', door: 'tokens' },
  user_banned: { gate: 'key', cause: 'banned' },
  model_denied: { gate: 'key', cause: 'model_denied', door: 'tokens' },
  model_not_found: { gate: 'channel', cause: 'model_unknown', door: 'channels' },
  no_channel: { gate: 'channel', cause: 'no_channel', door: 'channels' },
  channel_disabled: { gate: 'channel', cause: 'no_channel', door: 'channels' },
  channel_pin_invalid: { gate: 'channel', cause: 'no_channel', door: 'channels' },
  model_price_error: { gate: 'channel', cause: 'price', door: 'settings' },
  model_price_error_admin: { gate: 'channel', cause: 'price', door: 'settings' },
  insufficient_user_quota: { gate: 'charged', cause: 'user_quota', door: 'users' },
  pre_consume_token_quota_failed: { gate: 'charged', cause: 'token_quota', door: 'tokens' },
};

/** `keyLength`: of the key that the code above holds, without `sk-`. */
export function arrivalOf(state: Pick<FirstCallState, 'call' | 'refusal'>, keyLength = 48): Arrival {
  const { call, refusal } = state;
  if (refusal !== null && (call === null || refusal.at >= call.at)) return stopped(ruleOf(refusal, keyLength), { call, refusal });
  if (call === null) return { kind: 'waiting', states: statesUpTo(undefined), cause: undefined, door: undefined, call, refusal: null };
  if (call.is_answered) return { kind: 'done', states: statesUpTo('done'), cause: undefined, door: undefined, call, refusal: null };
  return stopped(providerRule(call), { call, refusal: null });
}

function stopped({ gate, cause, door }: Rule, parts: Pick<Arrival, 'call' | 'refusal'>): Arrival {
  return { kind: 'refused', states: statesUpTo(gate), cause, door, ...parts };
}

function statesUpTo(failed: Gate | 'done' | undefined): Record<Gate, GateState> {
  const at = failed === 'done' ? gates.length : failed === undefined ? -1 : gates.indexOf(failed);
  const state = (index: number): GateState => (index < at ? 'passed' : index === at && at >= 0 ? 'failed' : 'waiting');
  // A call that was refused for money has not reached a channel.
  const channel = failed === 'charged' ? 'waiting' : state(2);
  return { reached: state(0), key: state(1), channel, charged: state(3) };
}

function ruleOf({ code, status, key_length }: GuidedRefusal, keyLength: number): Rule {
  if (code === 'key_invalid' && key_length > 0 && key_length < keyLength) return { gate: 'key', cause: 'key_cut' };
  const known = rules[code];
  if (known !== undefined) return known;
  if (status === 429) return { gate: 'channel', cause: 'busy' };
  if (status === 401) return { gate: 'key', cause: 'key_unknown' };
  return { gate: 'channel', cause: status === 400 || status === 413 || status === 415 ? 'request' : 'other' };
}

function providerRule({ status }: GuidedCall): Rule {
  const door: Door = 'channel';
  if (status === 401 || status === 402 || status === 403) return { gate: 'channel', cause: 'provider_key', door };
  if (status === 404) return { gate: 'channel', cause: 'provider_model', door };
  if (status === 429) return { gate: 'channel', cause: 'provider_busy', door };
  if (status === 0) return { gate: 'channel', cause: 'provider_unreachable', door };
  return { gate: 'channel', cause: status < 300 ? 'provider_unreadable' : 'provider_failed', door };
}
