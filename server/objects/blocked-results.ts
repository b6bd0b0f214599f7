// Replaces batch results that contain blocked words, as for calls; they are still charged.
import { errorText } from '#shared/errors.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import type { TextGuard } from '#server/call/text-guard.ts';
import type { EditLine } from './restored-lines.ts';

/** Writes a failed request in the format, after its id. */
type ReportFailure = (failure: { code: string; message: string }) => object;

/**
 * Returns an editor of lines; undefined if outputs are not checked.
 * @param member member of a line with the request's id
 */
export function withoutBlocked(
  guard: TextGuard,
  edit: EditLine | undefined,
  report: ReportFailure,
  member = 'custom_id',
): EditLine | undefined {
  if (guard.output() === null) return edit;
  return (line) => {
    const reported = edit === undefined ? line : edit(line);
    return holds(guard, reported) ? failed(reported, report, member) : reported;
  };
}

function holds(guard: TextGuard, line: Buffer): boolean {
  const search = guard.output()?.inBody(line);
  for (let step = search?.next(); step !== undefined; step = search?.next()) if (step.done === true) return step.value;
  return false;
}

const code = 'sensitive_words_detected';

function failed(line: Buffer, report: ReportFailure, member: string): Buffer {
  const name = parseObject(line.toString('utf8'))?.[member];
  return Buffer.from(JSON.stringify({ [member]: name, ...report({ code, message: errorText(code, 'en') }) }));
}
