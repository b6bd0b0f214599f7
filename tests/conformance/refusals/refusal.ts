// A refusal as a caller reads it, and what it has to be.
import { expect } from 'vitest';
import { type ErrorCode, errors, errorText, type Language } from '#shared/errors.ts';
import type { TestResponse } from '#tests/support/http-client.ts';

export interface Reported {
  status: number;
  code: unknown;
  message: string;
}

/** What fills the text's places: the same in both languages, or one for each; a pattern for what the run decides. */
type Detail = string | number | RegExp | Readonly<Record<Language, string>>;

export interface Refusal {
  reported: Reported;
  details?: Record<string, Detail>;
  /** Where the call has a status or code of its own: an upstream's, or that of the task that failed. */
  status?: number;
  code?: string;
  /** No words go with it. */
  isSilent?: boolean;
}

/** The call that reaches each code. */
export type RefusalRows<Desk> = { readonly [Code in ErrorCode]?: (desk: Desk) => Promise<Refusal | Reported> };

export function reportedBy(response: TestResponse): Reported {
  const { status, code, message } = response;
  return { status, code, message };
}

/** Of paths whose envelopes are marked: the text stands in `data`. */
export function reportedInData(response: TestResponse): Reported {
  return { ...reportedBy(response), message: String(response.data) };
}

/** The error object of the relay; its message ends with the id of the request. */
export function reportedByRelay(status: number, body: { error?: { code?: unknown; message?: string; details?: unknown } }): Reported {
  const { code, message = '', details } = body.error ?? {};
  // Claude's have no code but that of some of their details.
  const inner = typeof details === 'object' && details !== null && 'error_code' in details ? details.error_code : undefined;
  return { status, code: code ?? inner, message: message.replace(/ \(request id: \w+\)$/, '') };
}

export function expectRefusal(code: ErrorCode, language: Language, given: Refusal | Reported): void {
  const { reported, details = {}, ...own }: Refusal = 'reported' in given ? given : { reported: given };
  expect(reported).toMatchObject({ status: own.status ?? errors[code].status, code: own.code ?? code });
  if (own.isSilent === true) return;
  const patterns = Object.entries(details).filter(([, detail]) => detail instanceof RegExp);
  const texts: Record<string, string> = {};
  for (const [name, detail] of Object.entries(details)) texts[name] = detail instanceof RegExp ? `<${name}>` : textOf(detail, language);
  const expected = errorText(code, language, texts);
  expect(expected, 'a place of the text that the row does not fill').not.toMatch(/\{\w+\}/);
  if (patterns.length === 0) return expect(reported.message).toBe(expected);
  let pattern = RegExp.escape(expected);
  for (const [name, detail] of patterns) pattern = pattern.replace(RegExp.escape(`<${name}>`), () => (detail as RegExp).source);
  return expect(reported.message).toMatch(new RegExp(`^${pattern}$`));
}

function textOf(detail: Exclude<Detail, RegExp>, language: Language): string {
  return typeof detail === 'object' ? detail[language] : String(detail);
}
