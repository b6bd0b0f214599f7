// Turns of a session, as its messages see them: paid for one by one (`turns.ts`), or part of the session's minutes.
import type { ContextSize } from '#server/kinds/realtime/realtime-client.ts';
import type { EndReason } from '#server/call/call-end.ts';

type Json = Readonly<Record<string, unknown>>;

export interface SessionTurns {
  readonly isIdle: boolean;
  /** Responses whose usage would still have to be reported. */
  readonly runningIds: string[];
  /** Maximum tokens of the next response. If undefined, no bound. */
  readonly bound: number | undefined;
  /** The client has left. */
  leave(): void;
  /** Reserves for the next turn. @throws {AppError} */
  prepare(): Promise<void>;
  /** The same after a turn has ended. @throws {AppError} */
  renew(): Promise<void>;
  /** The client requests a response. Returns its maximum tokens; undefined for no bound. @throws {AppError} */
  ask(eventId: string, extra: ContextSize): Promise<number | undefined>;
  /** The provider has refused a request. */
  refused(eventId: string): void;
  /** @throws {AppError} if the response is not paid for */
  begin(response: Json): Promise<void>;
  seen(responseId: unknown, tokens: { text: number; audio: number }): void;
  /** Resolves when the response is charged. @throws {AppError} */
  end(response: Json, left?: EndReason | null): Promise<void>;
  /** The session is over. */
  cut(reason: EndReason): Promise<void>;
}

/** Turns of a session that is priced by the minute: they cost nothing, and only their end is waited for when a server shuts down. */
export class MinuteTurns implements SessionTurns {
  readonly #running = new Set<unknown>();
  readonly runningIds: string[] = [];
  readonly bound = undefined;

  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  leave(): void {}

  prepare(): Promise<void> {
    return done;
  }

  renew(): Promise<void> {
    return done;
  }

  ask(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  refused(): void {}

  begin({ id }: Json): Promise<void> {
    this.#running.add(id);
    return done;
  }

  seen(): void {}

  end({ id }: Json): Promise<void> {
    this.#running.delete(id);
    return done;
  }

  cut(): Promise<void> {
    this.#running.clear();
    return done;
  }
}

const done = Promise.resolve();
