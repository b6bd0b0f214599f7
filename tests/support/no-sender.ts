import type { Signing } from '#server/exchange/auth/scheme.ts';

/** For schemes that need nothing but a key. */
export const noSender: Signing['sender'] = {
  send() {
    throw new Error('Nothing is to be sent');
  },
};
