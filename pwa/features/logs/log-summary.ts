// What the usage logs show of a row beyond its columns.
import { type Ending, endingOf } from '#shared/log-ending.ts';
import { otherOf, attemptsOf } from '#shared/log-other.ts';
import { type Attempt, CallEnding, type Log } from '#shared/logs.ts';

/** Milliseconds of the whole call. */
export function durationOf(log: Log): number {
  return otherOf(log)?.duration_ms ?? log.use_time * 1000;
}

/** Number of pictures, and their requested form; undefined if the call was not for pictures. */
export function picturesOf(log: Log, countText: (count: number) => string): string | undefined {
  const units = otherOf(log)?.units;
  if (units?.kind !== 'image') return undefined;
  const { count, size, quality } = units;
  return [countText(count), size?.replace('x', '×'), quality].filter((fact) => fact !== undefined).join(' · ');
}

/** As what a video was made; undefined: it was no call for one. */
export function videoSizeOf(log: Log): string | undefined {
  const units = otherOf(log)?.units;
  return units?.kind === 'second' ? units.size?.replace('x', '×') : undefined;
}

/** Milliseconds of transcribed sound; undefined: the row charges none. */
export function soundOf(log: Log): number | undefined {
  return sessionSpanOf(log) === undefined ? minutesOf(log) : undefined;
}

/** Milliseconds of transcribed sound or of a realtime session. */
function minutesOf(log: Log): number | undefined {
  const units = otherOf(log)?.units;
  return units?.kind === 'minute' ? Math.round((units.count * 60) / 1000) * 1000 : undefined;
}

/** Milliseconds since a realtime session began, at both ends of the part of it that a row charges; undefined: it is no such row. */
export function sessionSpanOf(log: Log): { from: number; until: number } | undefined {
  const from = otherOf(log)?.units?.from;
  return from === undefined ? undefined : { from: from * 1000, until: from * 1000 + (minutesOf(log) ?? 0) };
}

/** How many characters were to be spoken; undefined: it was no call for that. */
export function spokenOf(log: Log): number | undefined {
  const units = otherOf(log)?.units;
  return units?.kind === 'character' ? units.count : undefined;
}

interface Words {
  pictures: (count: number) => string;
  duration: (milliseconds: number) => string;
  characters: (count: number) => string;
  seconds: (count: number) => string;
  requests: (count: number) => string;
  examples: (count: number) => string;
  compaction: () => string;
}

/** A batch, a training or a cache: it is only handed in, and its time says nothing. */
export function isHandedIn(log: Log): boolean {
  const other = otherOf(log);
  return other?.batch !== undefined || other?.tuning !== undefined || other?.context_cache !== undefined;
}

/** Size of a call that tokens do not describe: pictures, sound, a video, a batch, a training, a summary. */
export function sizeOf(log: Log, words: Words): string | undefined {
  const other = otherOf(log);
  if (other?.batch !== undefined) return words.requests(other.batch.requests);
  if (other?.tuning !== undefined) return words.examples(other.tuning.examples);
  if (other?.compaction !== undefined) return words.compaction();
  const { units } = other ?? {};
  switch (units?.kind) {
    case 'image':
      return picturesOf(log, words.pictures);
    case 'second':
      return [words.seconds(units.count), videoSizeOf(log)].filter((fact) => fact !== undefined).join(' · ');
    case 'minute':
      return words.duration(minutesOf(log) ?? 0);
    case 'character':
      return words.characters(units.count);
    default:
      return undefined;
  }
}

export interface PathStep {
  channel: number;
  name: string;
  hasFailed: boolean;
  /** Failed, because its provider could not be reached. */
  isUnsent?: boolean;
}

/** Channels in the order in which they were tried; rows without attempts may still know the numbers. */
export function channelPath(log: Log): PathStep[] {
  const attempts = attemptsOf(log);
  if (attempts.length > 0) {
    const steps = attempts.map(({ attempt: { channel, channel_name: name = '', unsent }, hasFailed }) => ({
      channel,
      name,
      hasFailed,
      ...(unsent === true ? { isUnsent: true } : {}),
    }));
    // A socket is opened and spoken on: one channel, one step.
    return steps.filter((step, index) => step.hasFailed || steps[index + 1]?.channel !== step.channel);
  }
  const used = otherOf(log)?.admin_info?.use_channel?.map(Number) ?? (log.channel > 0 ? [log.channel] : []);
  return used.map((channel, index) => ({
    channel,
    name: channel === log.channel ? log.channel_name : '',
    hasFailed: index < used.length - 1,
  }));
}

export type Pace = 'good' | 'slow' | 'very_slow';

/** Whole calls: under 101 s, under 300 s, or longer. */
export function paceOf(seconds: number): Pace {
  if (seconds < 101) return 'good';
  return seconds < 300 ? 'slow' : 'very_slow';
}

/** First bytes: under 3 s, under 10 s, or longer. */
export function firstBytePace(seconds: number): Pace {
  if (seconds < 3) return 'good';
  return seconds < 10 ? 'slow' : 'very_slow';
}

export interface EndedAttempt {
  attempt: Attempt;
  ending: Ending;
}

/** The attempts of a call, each with how it ended. The last one ended as the call did; those before it failed, or were not sent. */
export function endedAttempts(log: Log): EndedAttempt[] {
  const attempts = attemptsOf(log);
  const ending = endingOf(log);
  return attempts.map(({ attempt, hasFailed }, index) => {
    if (attempt.unsent === true) return { attempt, ending: 'unsendable' };
    if (index === attempts.length - 1 && ending !== 'well') return { attempt, ending };
    if (hasFailed) return { attempt, ending: 'failed' };
    return { attempt, ending: attempt.error === undefined ? 'well' : (CallEnding.safeParse(attempt.error).data ?? 'other') };
  });
}
