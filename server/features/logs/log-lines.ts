// A row of the log as a line of a file.
import { balanceChange } from '#shared/balance-change.ts';
import { csvMark, csvRow } from '#shared/csv.ts';
import { endingOf } from '#shared/log-ending.ts';
import type { LogEvent } from '#shared/log-event.ts';
import { isCall, otherOf } from '#shared/log-other.ts';
import { type Log, LogType } from '#shared/logs.ts';
import { quotaSettings } from '#shared/quota-settings.ts';

/** `quotaPerUsd`: of today, for rows that do not say theirs. */
interface LineOptions {
  isForAdmins: boolean;
  namesMembers: boolean;
  quotaPerUsd: number;
}

interface Column {
  name: string;
  isForAdmins?: true;
  namesMembers?: true;
  value: (log: Log, quotaPerUsd: number) => string | number;
}

const typeNames: Readonly<Record<number, string>> = {
  [LogType.topUp]: 'top_up',
  [LogType.consumption]: 'call',
  [LogType.management]: 'management',
  [LogType.system]: 'system',
  [LogType.refusal]: 'refusal',
  [LogType.test]: 'test',
};

const columns: readonly Column[] = [
  { name: 'id', value: (log) => log.id },
  { name: 'time', value: (log) => new Date(log.created_at * 1000).toISOString() },
  { name: 'type', value: (log) => typeNames[log.type] ?? log.type },
  { name: 'username', isForAdmins: true, value: (log) => log.username },
  { name: 'member', namesMembers: true, value: (log) => (log.member_id === 0 ? '(service account)' : (log.member_name ?? '')) },
  { name: 'token_name', value: (log) => log.token_name },
  { name: 'group', value: (log) => log.group },
  { name: 'model_name', value: (log) => (otherOf(log)?.refusal?.is_others === true ? '(others)' : log.model_name) },
  { name: 'channel', isForAdmins: true, value: (log) => log.channel },
  { name: 'is_stream', value: (log) => String(log.is_stream) },
  { name: 'duration_ms', value: (log) => Math.round(otherOf(log)?.duration_ms ?? log.use_time * 1000) },
  { name: 'first_byte_ms', value: (log) => otherOf(log)?.frt ?? '' },
  { name: 'prompt_tokens', value: (log) => log.prompt_tokens },
  { name: 'cache_tokens', value: (log) => otherOf(log)?.cache_tokens ?? '' },
  { name: 'completion_tokens', value: (log) => log.completion_tokens },
  { name: 'quota', value: (log) => log.quota },
  { name: 'usd', value: (log, today) => usd(log, log.quota, today) },
  // What the rows add up to: what calls took, and what codes, payments and administrators gave or took.
  { name: 'balance_change', value: balanceChange },
  { name: 'balance_change_usd', value: (log, today) => usd(log, balanceChange(log), today) },
  { name: 'quota_per_usd', value: (log) => otherOf(log)?.quota_per_unit ?? '' },
  { name: 'ending', value: ending },
  // For calls that were refused before any channel was tried.
  { name: 'rejected_with', value: (log) => otherOf(log)?.refusal?.code ?? '' },
  { name: 'rejected_count', value: (log) => otherOf(log)?.refusal?.count ?? '' },
  { name: 'request_id', value: (log) => log.request_id },
  { name: 'session', value: (log) => otherOf(log)?.session?.id ?? '' },
  { name: 'agent', value: (log) => otherOf(log)?.session?.agent ?? '' },
  { name: 'parent_agent', value: (log) => otherOf(log)?.session?.parent ?? '' },
  { name: 'event', value: (log) => otherOf(log)?.event?.code ?? '' },
  { name: 'by', isForAdmins: true, value: (log) => otherOf(log)?.admin_info?.by ?? '' },
  { name: 'content', value: content },
];

/** Returns the settings that an administrator changed, as far as the row lists them. */
function changedSettings({ keys, changes = [], more = 0 }: SettingsChanged, dollars: (quota: number) => string): string {
  if (changes.length === 0) return `Changed settings: ${keys}`;
  const value = (key: string, text: string | undefined): string => {
    if (text === undefined) return '(none)';
    return quotaSettings.has(key) && /^\d{1,15}$/.test(text) ? dollars(Number(text)) : text === '' ? '(empty)' : text;
  };
  const reported = changes.map(({ key, name, before, after, is_secret: isSecret }) => {
    const what = name === undefined ? key : `${key} of ${name}`;
    if (isSecret === true) return `${what} replaced`;
    return before === undefined && after === undefined ? what : `${what} from ${value(key, before)} to ${value(key, after)}`;
  });
  return `Changed settings: ${[...reported, ...(more > 0 ? [`${more} more`] : [])].join('; ')}`;
}

type SettingsChanged = Extract<LogEvent, { code: 'settings_changed' }>;

/** Dollars to the last unit, as a plain number. */
function usd(log: Log, quota: number, today: number): number {
  const unit = otherOf(log)?.quota_per_unit ?? today;
  return Number((quota / unit).toFixed(10)) + 0;
}

/** How a call ended. One that was refused before it was sent is `rejected`: `refused` is what upstreams do. Other rows have no end. */
function ending(log: Log): string {
  if (otherOf(log)?.refusal !== undefined) return 'rejected';
  return isCall(log) ? endingOf(log) : '';
}

/** What the row says, in English where it knows it in a form for that: what administrators changed as a sentence, any other event by its code and what belongs to it. */
function content(log: Log, today: number): string {
  const { refusal, event } = otherOf(log) ?? {};
  if (refusal !== undefined) return refusal.reason.en;
  if (event === undefined) return callFacts(log) ?? log.content;
  const dollars = (quota: number): string => `$${usd(log, quota, today)}`;
  if (event.code === 'settings_changed') return changedSettings(event, dollars);
  if (event.code === 'quota_set') {
    const why = event.reason === undefined ? '' : `: ${event.reason}`;
    return `Balance changed from ${dollars(event.from)} to ${dollars(event.to)}${why}`;
  }
  const { code, ...details } = event;
  const reported = Object.entries(details).map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : value}`);
  return [code, ...reported].join(' ');
}

/** Of a call: what its price was made of, and what the upstream said when it failed. Nothing is known of some calls of other systems. */
function callFacts(log: Log): string | undefined {
  const other = otherOf(log);
  if (other === null || !isCall(log) || other.group_ratio === undefined) return undefined;
  const { model_price: price = -1, model_ratio = 0, completion_ratio = 0, group_ratio, task } = other;
  const problem = other['problem'];
  const facts = [
    ...(price >= 0 ? [`model_price=${price}`] : [`model_ratio=${model_ratio}`, `completion_ratio=${completion_ratio}`]),
    `group_ratio=${group_ratio}`,
    ...(task === undefined ? [] : [`task=${task.action}`, `task_id=${task.id}`]),
    ...(typeof problem === 'string' ? [`problem=${problem}`] : []),
  ];
  return facts.join(' ');
}

type Readers = Pick<LineOptions, 'isForAdmins' | 'namesMembers'>;

function shownTo({ isForAdmins, namesMembers }: Readers): readonly Column[] {
  return columns.filter((column) => (isForAdmins || column.isForAdmins !== true) && (namesMembers || column.namesMembers !== true));
}

export function csvHead(options: LineOptions): string {
  return csvMark + csvRow(shownTo(options).map(({ name }) => name));
}

export function csvLine(log: Log, options: LineOptions): string {
  return csvRow(shownTo(options).map(({ value }) => value(log, options.quotaPerUsd)));
}

/** As the list has it, with `other` as the object that it is. */
export function jsonLine(log: Log): string {
  return `${JSON.stringify({ ...log, other: otherOf(log) })}\n`;
}
