// Interface of a session's turns, which are charged individually (`turns.ts`) or included in the minutes (`MinuteTurns`).
import type { ContextSize } from '#server/kinds/realtime/realtime-client.ts';
import type { EndReason } from '#server/call/call-end.ts';

type Json = Readonly<Record<string, unknown>>;

export interface SessionTurns {
  readonly isIdle: boolean;
  /** Ids of responses whose usage is not reported yet. */
  readonly runningIds: string[];
  /** Maximum tokens of the next response. If undefined, no bound. */
  readonly bound: number | undefined;
  /** Called when the client has disconnected. */
  leave(): void;
  /**
   * Reserves the next turn.
   * @throws {AppError}
   */
  prepare(): Promise<void>;
  /**
   * Reserves the next turn after one has ended.
   * @throws {AppError}
   */
  renew(): Promise<void>;
  /**
   * Reserves a response that the client requests. Returns its maximum tokens; undefined for no bound.
   * @throws {AppError}
   */
  request(eventId: string, extra: ContextSize): Promise<number | undefined>;
  /** Called when the provider has refused a request. */
  refused(eventId: string): void;
  /**
   * Called when a response begins.
   * @throws {AppError} if it cannot be paid for
   */
  begin(response: Json): Promise<void>;
  seen(responseId: unknown, tokens: { text: number; audio: number }): void;
  /**
   * Called when a response ends. Resolves when it is charged.
   * @throws {AppError}
   */
  end(response: Json, left?: EndReason | null): Promise<void>;
  /** Called when the session ends. */
  cut(reason: EndReason): Promise<void>;
}

/** Turns of a session that is priced by the minute. They cost nothing, and are only tracked so that a shutdown waits for their end. */
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

  request(): Promise<undefined> {
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
