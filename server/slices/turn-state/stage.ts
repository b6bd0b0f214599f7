// Turn state: a response header that a client returns with its next turn. Sealed for the channel and the user, so that no
// other upstream receives it, and no forged value reaches an upstream.
import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { AppContext } from '#server/context.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { AdmittedCall } from '#server/call/admission/admit-call.ts';
import type { SentAttempt } from '#server/call/call-attempt.ts';
import type { CallStage, StageRun } from '#server/call/stages.ts';
import type { CallToSend } from '#server/exchange/exchange.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import type { ResponseHeaders } from '#server/exchange/send.ts';

/** Characters of one. */
const longest = 4096;
const headerText = /^[\x21-\x7e]+$/;

/** States of connections that are stored, and milliseconds. A client whose state has expired loses the upstream's cache at most. */
const mostStored = 4_000;
const storedMs = 60 * 60_000;

/** The last state of a connection, whose client was given the connection's id instead. */
interface ConnectionState {
  read(): string | undefined;
  store(state: string): void;
}

/** The state is known to one account only. */
type Account = Pick<PreparedChannel, 'id' | 'keyId'>;

export function turnStateStage({ secrets }: Pick<AppContext, 'secrets'>): CallStage {
  const stored = new LRUCache<string, string>({ max: mostStored, ttl: storedMs });

  /** Null: the header is not from here, or is another user's or channel's. */
  function opened(sealed: string, channel: Account, userId: number): string | null {
    try {
      const state = parseObject(secrets.decrypt(sealed, 'turn_state'));
      if (!isObject(state) || state.user !== userId) return null;
      if (typeof state.socket === 'string') {
        const last = stored.get(state.socket);
        return last === undefined ? null : opened(last, channel, userId);
      }
      if (state.channel !== channel.id || (state.key ?? 0) !== channel.keyId) return null;
      return typeof state.turn === 'string' ? state.turn : null;
    } catch {
      return null;
    }
  }

  function seal(state: Readonly<Record<string, unknown>>): string {
    return secrets.encrypt(JSON.stringify(state), 'turn_state');
  }

  function open({ endpoint, admission }: AdmittedCall, connection?: ConnectionState): StageRun | null {
    const name = endpoint.surface.turnStateHeader;
    return name === undefined ? null : new TurnState({ name, userId: admission.user.id, opened, seal, connection });
  }

  return {
    name: 'turn-state',
    applies: ({ surface }) => surface.turnStateHeader !== undefined,
    open: (call) => open(call),
    connect(userId) {
      const id = randomUUID();
      const connection = { read: () => stored.get(id), store: (state: string) => void stored.set(id, state) };
      return {
        open: (call) => open(call, connection),
        // Codex takes the state from the response that completes a handshake and sends it again with its next request, wherever that goes.
        headers({ surface: { modelTag, turnStateHeader: name } }, clientHeaders) {
          if (name === undefined || modelTag?.isWantedBy(clientHeaders) !== true) return {};
          return { [name]: clientHeaders[name] ?? seal({ socket: id, user: userId }) };
        },
      };
    },
  };
}

interface TurnStateOptions {
  /** Of the header. */
  name: string;
  userId: number;
  opened(sealed: string, channel: Account, userId: number): string | null;
  seal(state: Readonly<Record<string, unknown>>): string;
  connection: ConnectionState | undefined;
}

class TurnState implements StageRun {
  readonly #options: TurnStateOptions;
  /** Sealed state of the response; undefined: its upstream gave none. */
  #given: string | undefined;

  constructor(options: TurnStateOptions) {
    this.#options = options;
  }

  request(sending: CallToSend, channel: PreparedChannel): void {
    const { name, userId, opened, connection } = this.#options;
    const sealed = connection?.read() ?? sending.clientHeaders[name];
    if (sealed === undefined) return;
    const { [name]: _sealed, ...others } = sending.clientHeaders;
    const state = opened(sealed, channel, userId);
    sending.clientHeaders = state === null ? others : { ...others, [name]: state };
  }

  responded({ channel: { id, keyId }, request }: SentAttempt, headers: ResponseHeaders | undefined): void {
    const { name, userId, seal, connection } = this.#options;
    // The state of an earlier attempt is for another channel.
    this.#given = undefined;
    // Only a provider of the client's own format sends it.
    const state = request.route.identity === null ? undefined : headers?.[name];
    if (typeof state !== 'string' || state.length > longest || !headerText.test(state)) return;
    this.#given = seal({ turn: state, channel: id, ...(keyId === 0 ? {} : { key: keyId }), user: userId });
    connection?.store(this.#given);
  }

  headers(): Readonly<Record<string, string>> {
    return this.#given === undefined ? {} : { [this.#options.name]: this.#given };
  }
}
