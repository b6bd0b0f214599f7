// What costs more than the model's price, which is all that callers are billed: fast lanes, paid extras, other models. Where the
// caller's own format is passed on it is left out and named, unless the channel's setting `allow_surcharges` lets it pass.
import type { LocalText } from '#shared/errors.ts';
import { AppError } from '#shared/errors.ts';
import type { CallInput } from './encode-input.ts';

/** What raises prices in a format of providers. */
export interface Surcharges {
  /** By field of a body: the values that cost nothing more. */
  fields: Readonly<Record<string, readonly unknown[]>>;
  /** Fields without which the response would be a wrong one: their calls are refused. */
  essential?: readonly string[];
  /** By header of the caller: how those items of its list begin that cost more. The others stay as they are. */
  headers?: Readonly<Record<string, readonly string[]>>;
}

const thisChannel: LocalText = { zh: '此渠道', en: 'this channel' };

/** @returns the very same call where nothing in it costs more @throws {AppError} `untranslatable` for what must not be left out */
export function withoutSurcharges(call: CallInput): { call: CallInput; dropped: readonly string[] } {
  const { way } = call;
  if (call.isPassThrough === true || way.identity === null || way.setting.allowsSurcharges === true) return { call, dropped: [] };
  const dropped: string[] = [];
  const body = plainBody(call, dropped);
  const clientHeaders = plainHeaders(call, dropped);
  if (dropped.length === 0) return { call, dropped };
  const rawText = body === call.body ? call.rawText : JSON.stringify(body);
  return { call: { ...call, body, rawText, clientHeaders }, dropped };
}

function plainBody({ body, way: { dialect, provider } }: CallInput, dropped: string[]): CallInput['body'] {
  const { fields = {}, essential = [] } = dialect.surcharges ?? {};
  const dear = Object.keys(body).filter((name) => {
    const value = body[name];
    if (value === null) return false;
    if (provider.paidExtras?.includes(name) === true) return true;
    return Object.hasOwn(fields, name) && fields[name]?.includes(value) === false;
  });
  const wanted = dear.find((name) => essential.includes(name));
  if (wanted !== undefined) throw new AppError('untranslatable', { field: wanted, dialect: thisChannel }, { field: wanted });
  if (dear.length === 0) return body;
  dropped.push(...dear);
  return Object.fromEntries(Object.entries(body).filter(([name]) => !dear.includes(name)));
}

function plainHeaders({ clientHeaders, way: { dialect } }: CallInput, dropped: string[]): CallInput['clientHeaders'] {
  let headers = clientHeaders;
  for (const [name, beginnings] of Object.entries(dialect.surcharges?.headers ?? {})) {
    const items = headers[name]?.split(',') ?? [];
    const isDear = (item: string) => beginnings.some((beginning) => item.trim().toLowerCase().startsWith(beginning));
    const dear = items.filter(isDear);
    if (dear.length === 0) continue;
    dropped.push(...dear.map((item) => `${name}: ${item.trim()}`));
    const { [name]: _dear, ...others } = headers;
    const kept = items.filter((item) => !isDear(item));
    headers = kept.length === 0 ? others : { ...others, [name]: kept.join(',').trim() };
  }
  return headers;
}
