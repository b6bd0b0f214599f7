import type { Logger } from 'pino';

/** Log of the database's threads. */
export type ThreadLog = Pick<Logger, 'warn' | 'error'>;

/** For tools and tests without a log. */
export const silentLog: ThreadLog = { warn() {}, error() {} };
