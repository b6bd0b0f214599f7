// Checks the key of an open connection periodically, and closes the connection when the key is no longer valid.
import { AppError, type ErrorCode } from '#shared/errors.ts';
import type { Connection } from '#server/http/connection.ts';
import type { RelayServices } from '#server/call/services.ts';

/** Errors after which a key cannot authorize any request. */
const lostKeys: ReadonlySet<ErrorCode> = new Set([
  'key_invalid',
  'key_disabled',
  'key_expired',
  'key_replaced',
  'user_banned',
  'ip_denied',
]);

interface Watched {
  services: Pick<RelayServices, 'gate' | 'addressOf'>;
  request: Request;
  connection: Connection;
}

export class KeyWatch {
  readonly #watched: Watched;
  readonly #onLost: (error: AppError) => void;
  #isChecking = false;

  constructor(watched: Watched, onLost: (error: AppError) => void) {
    this.#watched = watched;
    this.#onLost = onLost;
  }

  check(): void {
    if (this.#isChecking) return;
    const { services, request, connection } = this.#watched;
    const { gate, addressOf } = services;
    const lost = (failure: unknown) => {
      if (failure instanceof AppError && lostKeys.has(failure.code)) this.#onLost(failure);
    };
    try {
      const admitted = gate.admit(request);
      if (!(admitted instanceof Promise)) {
        gate.checkUse(admitted, addressOf(request, connection));
        return;
      }
      this.#isChecking = true;
      void admitted
        .catch(lost) // while the database is unavailable, the connection stays open
        .finally(() => {
          this.#isChecking = false;
        });
    } catch (failure) {
      lost(failure);
    }
  }
}
