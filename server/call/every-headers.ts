import type { StageRun } from '#server/call/stages.ts';

/** Returns the headers of the stages for every response of a call, also an error. */
export function everyHeaders(runs: readonly StageRun[]): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const run of runs) if (run.everyHeaders !== undefined) Object.assign(headers, run.everyHeaders());
  return headers;
}
