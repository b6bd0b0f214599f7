// Values in a query string, which old clients send in more than one way.
import { z } from 'zod/mini';

/** What old clients put for a value that they do not have. */
const absent: ReadonlySet<string> = new Set(['', 'null', 'undefined', 'NaN']);
/** Beyond every id, page and moment. */
export const largestQueryInt = 999_999_999_999_999;

/**
 * Whole number from 0 up in a query string. An empty value, which old clients send, counts as absent; any other value that is no such number is
 * refused: a filter that is silently left out would return the result of another query.
 */
export const QueryInt = z.pipe(
  z.optional(z.string()),
  z.transform((given, context) => {
    const text = given?.trim() ?? '';
    if (absent.has(text)) return undefined;
    if (!/^-?\d+$/.test(text)) {
      context.issues.push({ code: 'invalid_type', expected: 'int', input: given });
      return z.NEVER;
    }
    const value = Number(text);
    if (value < 0) context.issues.push({ code: 'too_small', origin: 'number', minimum: 0, inclusive: true, input: given });
    if (value > largestQueryInt)
      context.issues.push({ code: 'too_big', origin: 'number', maximum: largestQueryInt, inclusive: true, input: given });
    return value;
  }),
);

/** A text in a query string; empty, `null` and `undefined` count as absent. */
export const QueryText = z.pipe(
  z.optional(z.string().check(z.maxLength(1000))),
  z.transform((text) => (text === undefined || text === '' || text === 'null' || text === 'undefined' ? undefined : text)),
);

/** A switch in a query string: `1`, `t`, `true` in any case are on; `0`, `f`, `false` and no value are off. */
export const QueryBoolean = z.pipe(
  z.optional(z.string()),
  z.transform((given, context) => {
    const text = given?.trim() ?? '';
    if (absent.has(text) || /^(0|f|false)$/i.test(text)) return false;
    if (/^(1|t|true)$/i.test(text)) return true;
    context.issues.push({ code: 'invalid_type', expected: 'boolean', input: given });
    return z.NEVER;
  }),
);
