// Filters of lists: one comparison with `eq`, which is all that clients for provisioning send (RFC 7644, 3.4.2.2).
import { refuse } from './scim-error.ts';

export interface ScimFilter {
  /** In lower case, without the URN of its schema; `emails.value` for `emails[type eq "work"].value`. */
  attribute: string;
  value: string | boolean;
}

const longest = 1000;
const comparison = /^\s*([\w$:.-]+)(?:\[[^\]]*\](\.[\w$-]+))?\s+eq\s+("(?:[^"\\]|\\.)*"|true|false)\s*$/i;

/** @throws {ScimError} `invalidFilter` */
export function readFilter(text: string | null): ScimFilter | undefined {
  if (text === null || text.trim() === '') return undefined;
  const [, path = '', sub = '', literal = ''] = (text.length > longest ? null : comparison.exec(text)) ?? [];
  if (path === '') return refuse(400, 'The filter must be a comparison with eq, such as userName eq "mary@example.com"', 'invalidFilter');
  return { attribute: withoutUrn(path + sub).toLowerCase(), value: valueOf(literal) };
}

/** `urn:ietf:params:scim:schemas:core:2.0:User:userName` is `userName`. */
export function withoutUrn(path: string): string {
  return path.replace(/^urn:ietf:params:scim:schemas:core:2\.0:\w+:/i, '');
}

function valueOf(literal: string): string | boolean {
  if (!literal.startsWith('"')) return literal.toLowerCase() === 'true';
  try {
    const value: unknown = JSON.parse(literal);
    return String(value);
  } catch {
    return refuse(400, 'The value of the filter is no JSON string', 'invalidFilter');
  }
}
