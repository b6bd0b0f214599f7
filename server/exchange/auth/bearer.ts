// `Authorization: Bearer <key>`. https://www.rfc-editor.org/rfc/rfc6750#section-2.1
import type { Authorization } from './scheme.ts';

/** The key is `<key><separator><value>`; the second part goes into that header, when there is one. */
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
