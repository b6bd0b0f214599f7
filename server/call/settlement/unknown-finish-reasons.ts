// Logs finish reasons that are in no table, once per provider and reason.
import type { Logger } from 'pino';
import type { SentAttempt } from '#server/call/call-attempt.ts';

export interface UnknownFinishReasons {
  note(attempt: Pick<SentAttempt, 'channel' | 'request'>, word: string | undefined): void;
}

/** Maximum pairs; beyond them nothing is logged. */
const mostPairs = 500;

export function createUnknownFinishReasons(log: Logger): UnknownFinishReasons {
  const logged = new Set<string>();
  return {
    note({ channel, request }, word) {
      if (word === undefined) return;
      const provider = channel.provider?.name ?? '';
      const pair = JSON.stringify([provider, word]);
      if (logged.has(pair) || logged.size >= mostPairs) return;
      logged.add(pair);
      const { id } = channel;
      log.warn({ channel: id, provider, format: request.route.dialect.name, word }, 'a response ended with a word that is not known');
    },
  };
}
