// Handles uncaught exceptions: of a socket's callback, a timer, an unhandled promise. Each belongs to one call, and all other streams are in this
// process too, so it is logged and the process continues. Nothing that matters is lost by that: what was not settled costs nothing and is recovered
// like the calls of a process that died.
import type { Logger } from 'pino';

/** From now on; what is wrong while the server starts still ends it. Node reports unhandled rejections by the same event. */
export function keepServing(log: Pick<Logger, 'fatal'>): void {
  process.on('uncaughtException', (cause, origin) => {
    log.fatal({ err: cause, origin }, 'an exception escaped, and the server goes on');
  });
}
