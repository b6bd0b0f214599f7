// Headers that an operator adds to every call of a channel, in addition to those of its provider's record.
import { z } from 'zod/mini';
import { ruleCheck } from '#shared/rule-check.ts';

/** Stands for the channel's key, so that the key itself is in no setting that others may read. */
export const keyPlaceholder = '{api_key}';

const mostHeaders = 50;
const longestValue = 4000;
/** Headers of the transport, of the body's encoding, and of a single hop (RFC 9110, 7.6.1). */
const reserved: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

export function isOverridableHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return (
    /^[\w!#$%&'*+.^`|~-]{1,100}$/.test(name) && !reserved.has(lower) && !lower.startsWith('proxy-') && !lower.startsWith('sec-websocket-')
  );
}

/** Visible ASCII, and blanks within it. */
function isHeaderText(value: string): boolean {
  return value.length <= longestValue && /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value);
}

/** Name → value. No name stands twice, however it is written. */
export const HeaderOverride = z
  .record(
    z.string().check(z.refine(isOverridableHeader, ruleCheck('headerName'))),
    z.string().check(z.refine(isHeaderText, ruleCheck('headerValue'))),
  )
  .check(
    z.refine((headers) => {
      const names = Object.keys(headers).map((name) => name.toLowerCase());
      return names.length <= mostHeaders && new Set(names).size === names.length;
    }, ruleCheck('headerNames')),
  );

/** By names in small letters, with the key in its place. */
export function filledHeaders(headers: Readonly<Record<string, string>>, key: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.replaceAll(keyPlaceholder, () => key)]),
  );
}
