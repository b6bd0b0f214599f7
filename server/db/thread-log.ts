import type { Logger } from 'pino';

/** Where the database tells what happens to its threads. */
export type ThreadLog = Pick<Logger, 'warn' | 'error'>;

/** For tools and tests that keep no log. */
export const silentLog: ThreadLog = { warn() {}, error() {} };
