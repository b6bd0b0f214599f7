// What an upstream gives its client to send back with what it asks next. It travels sealed for the channel that gave it and the user who
// got it: no other upstream is told it, and nobody tells an upstream one that is not from there.
import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { AppContext } from '#server/context.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { SentAttempt } from '#server/call/call-attempt.ts';
import type { RunningCall } from '#server/call/running-call.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import type { ResponseHeaders } from '#server/exchange/send.ts';

/** Characters of one. */
const longest = 4096;
const headerText = /^[\x21-\x7e]+$/;

/** Of a connection, which is told its name before any upstream has said anything. */
export interface HeldTurnState {
  /** Sealed: what a client sends back elsewhere when the connection is gone. */
  readonly name: string;
  /** What an upstream gave last, sealed; undefined: nothing, or it is too long ago. */
  read(): string | undefined;
  keep(state: string): void;
}

export interface TurnStates {
  open(userId: number): HeldTurnState;
  /** By the id in a name. */
  find(id: string): string | undefined;
}

/** States of connections that are kept, and milliseconds. Whoever's is not known any more loses the upstream's cache at most. */
const mostHeld = 4_000;
const heldMs = 60 * 60_000;

export function createTurnStates({ secrets }: Pick<AppContext, 'secrets'>): TurnStates {
  const held = new LRUCache<string, string>({ max: mostHeld, ttl: heldMs });
  return {
    open(userId) {
      const id = randomUUID();
      return {
        name: secrets.encrypt(JSON.stringify({ socket: id, user: userId }), 'turn_state'),
        read: () => held.get(id),
        keep: (state) => void held.set(id, state),
      };
    },
    find: (id) => held.get(id),
  };
}

/** The client's headers as they go to that channel. */
export function headersFor(call: RunningCall, { id }: Pick<PreparedChannel, 'id'>): Readonly<Record<string, string>> {
  const name = call.endpoint.dialect.turnStateHeader;
  const reported = name === undefined ? undefined : (call.heldTurnState?.read() ?? call.clientHeaders[name]);
  if (name === undefined || reported === undefined) return call.clientHeaders;
  const { [name]: _told, ...others } = call.clientHeaders;
  const state = openState(call, id, reported);
  return state === null ? others : { ...others, [name]: state };
}

/** What its client is told of it; nothing where the upstream has given none. */
export function noteTurnState(
  call: RunningCall,
  { channel: { id }, request }: Pick<SentAttempt, 'channel' | 'request'>,
  headers: ResponseHeaders | undefined,
): void {
  // Only a provider of the client's own format speaks to it.
  const name = request.route.identity === null ? undefined : call.endpoint.dialect.turnStateHeader;
  const state = name === undefined ? undefined : headers?.[name];
  // What an attempt before it gave is for another channel.
  call.turnState = undefined;
  if (typeof state !== 'string' || state.length > longest || !headerText.test(state)) return;
  const { services, admission } = call;
  call.turnState = services.context.secrets.encrypt(JSON.stringify({ turn: state, channel: id, user: admission.user.id }), 'turn_state');
  call.heldTurnState?.keep(call.turnState);
}

export function turnStateHeaders({ endpoint, turnState }: RunningCall): Record<string, string> {
  const name = endpoint.dialect.turnStateHeader;
  return name === undefined || turnState === undefined ? {} : { [name]: turnState };
}

function openState(
  { services, admission }: Pick<RunningCall, 'services' | 'admission'>,
  channelId: number,
  reported: string,
): string | null {
  try {
    const opened = parseObject(services.context.secrets.decrypt(reported, 'turn_state'));
    if (!isObject(opened) || opened.user !== admission.user.id) return null;
    if (typeof opened.socket === 'string') {
      const held = services.turnStates.find(opened.socket);
      return held === undefined ? null : openState({ services, admission }, channelId, held);
    }
    if (opened.channel !== channelId) return null;
    return typeof opened.turn === 'string' ? opened.turn : null;
  } catch {
    // It is not one of ours.
    return null;
  }
}
