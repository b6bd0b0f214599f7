// Parses wait times in error messages. https://platform.openai.com/docs/guides/rate-limits: "try again in 6m0s"

const wait = /(?:try again|retry) (?:in|after) ((?:\d+(?:\.\d+)? ?(?:milliseconds?|ms|minutes?|min|m|hours?|h|seconds?|secs?|s) ?){1,4})/i;
const piece = /(\d+(?:\.\d+)?) ?(milliseconds?|ms|minutes?|min|m|hours?|h|seconds?|secs?|s)/gi;
/** Maximum length of the searched text. */
const longestWords = 4000;

/** Returns the wait time in seconds; undefined if the message names none. */
export function waitIn(message: string): number | undefined {
  const reported = wait.exec(message.slice(0, longestWords))?.[1];
  if (reported === undefined) return undefined;
  let seconds = 0;
  for (const [, number, unit = ''] of reported.matchAll(piece)) seconds += Number(number) * secondsOf(unit.toLowerCase());
  return seconds > 0 ? seconds : undefined;
}

function secondsOf(unit: string): number {
  if (unit === 'ms' || unit.startsWith('milli')) return 0.001;
  return unit.startsWith('h') ? 3600 : unit.startsWith('m') ? 60 : 1;
}
