// Sessions as lines of a file.
import type { CallSession } from '#shared/call-sessions.ts';
import { csvMark, csvRow } from '#shared/csv.ts';

interface LineOptions {
  isForAdmins: boolean;
  /** Of today: sessions do not say theirs. */
  quotaPerUsd: number;
}

const time = (seconds: number) => new Date(seconds * 1000).toISOString();

const columns: readonly { name: string; isForAdmins?: true; value: (session: CallSession, quotaPerUsd: number) => string | number }[] = [
  { name: 'id', value: ({ id }) => id },
  { name: 'session', value: ({ session }) => session },
  { name: 'username', isForAdmins: true, value: ({ username }) => username },
  { name: 'token_name', value: (session) => session.token_name },
  { name: 'client', value: ({ client }) => client },
  { name: 'models', value: ({ models }) => models.join(' ') },
  { name: 'first_time', value: (session) => time(session.first_at) },
  { name: 'last_time', value: (session) => time(session.last_at) },
  { name: 'calls', value: ({ calls }) => calls },
  { name: 'failed_calls', value: ({ errors }) => errors },
  { name: 'prompt_tokens', value: (session) => session.prompt_tokens },
  { name: 'cache_tokens', value: (session) => session.cache_tokens },
  { name: 'completion_tokens', value: (session) => session.completion_tokens },
  { name: 'quota', value: ({ quota }) => quota },
  { name: 'refunded', value: ({ refunded }) => refunded },
  { name: 'usd', value: ({ quota, refunded }, quotaPerUsd) => Number(((quota - refunded) / quotaPerUsd).toFixed(10)) + 0 },
];

const shownTo = (isForAdmins: boolean) => columns.filter((column) => isForAdmins || column.isForAdmins !== true);

export function sessionCsvHead({ isForAdmins }: LineOptions): string {
  return csvMark + csvRow(shownTo(isForAdmins).map(({ name }) => name));
}

export function sessionCsvLine(session: CallSession, { isForAdmins, quotaPerUsd }: LineOptions): string {
  return csvRow(shownTo(isForAdmins).map(({ value }) => value(session, quotaPerUsd)));
}
