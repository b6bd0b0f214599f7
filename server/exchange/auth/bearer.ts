// `Authorization: Bearer <key>`. https://www.rfc-editor.org/rfc/rfc6750#section-2.1
import type { Authorization } from './scheme.ts';

/** Splits a key `<key><separator><value>`; the value, if present, is sent in `header`. */
export interface SplitKey {
  separator: string;
  header: string;
}

export function bearer(key: string, split?: SplitKey): Authorization {
  const cut = split === undefined ? -1 : key.indexOf(split.separator);
  if (split === undefined || cut < 0) return { headers: { authorization: `Bearer ${key}` }, problem: null };
  const rest = key.slice(cut + split.separator.length);
  return { headers: { authorization: `Bearer ${key.slice(0, cut)}`, [split.header]: rest }, problem: null };
}
