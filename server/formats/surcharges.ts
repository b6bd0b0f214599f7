// Drops and reports request fields that make the provider charge more than the model's price, on routes that forward the
// caller's format, unless the channel's setting `allow_surcharges` permits them: service tiers (those with a factor are billed
// by it), paid extras, other models, and account settings.
import { writeJson } from '#server/framing/long-json.ts';
import { AppError } from '#shared/errors.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { CallInput } from './encode-input.ts';
import { paidBody } from './hosted-tools.ts';
import { thisChannel } from './losses.ts';
import type { RequestField } from './request-fields.ts';
import { allNames, seenName } from './seen-names.ts';

/** Fields of an upstream format that raise the price. */
export interface Surcharges {
  /** Values without a surcharge, by field or member (`reasoning.mode`). */
  fields: Readonly<Record<string, readonly unknown[]>>;
  /** Shared field of each, for callers of other formats. */
  said?: Readonly<Record<string, RequestField>>;
  /** Fields without which the response would be wrong: their calls are rejected. */
  essential?: readonly string[];
  /** Prefixes of list items with a surcharge, by caller header. Other items stay. */
  headers?: Readonly<Record<string, readonly string[]>>;
  /** Prefixes of list items with a surcharge, by body field. */
  lists?: Readonly<Record<string, readonly string[]>>;
  /** Values without a surcharge, by member of marks anywhere in a body. */
  marks?: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>>;
}

/**
 * Returns the call without surcharges, the same object if it has none.
 * @throws {AppError} `untranslatable` for a field that must not be dropped
 */
export function withoutSurcharges(call: CallInput): { call: CallInput; dropped: readonly string[] } {
  if (call.isPassThrough === true) return { call, dropped: none };
  const dropped: string[] = [];
  const body = paidBody(call, plainBody(call, call.body, dropped), dropped);
  const listed = call.route.setting.allowsSurcharges === true ? undefined : call.route.dialect.surcharges?.headers;
  const clientHeaders = listed === undefined ? call.clientHeaders : plainHeaders(call.clientHeaders, listed, dropped);
  if (body === call.body && clientHeaders === call.clientHeaders) return { call, dropped };
  const rawText = body === call.body ? call.rawText : writeJson(body, call.longTexts);
  return { call: { ...call, body, rawText, clientHeaders }, dropped };
}

const none: readonly string[] = [];
const nothing: Readonly<Record<string, never>> = {};
const noSurcharges: Surcharges = { fields: nothing };

/** Filters a body of the provider's format. @throws {AppError} `untranslatable` for a field that must not be dropped */
export function plainBody(
  { route, client, body: clientBody, seen }: CallInput,
  requested: CallInput['body'],
  dropped: string[],
): CallInput['body'] {
  const { dialect, setting } = route;
  if (setting.allowsSurcharges === true) return requested;
  const { fields, lists, essential = none, marks, said = nothing } = dialect.surcharges ?? noSurcharges;
  let body = withoutMembers(requested, fields, dropped);
  if (lists !== undefined) body = withoutItems(body, lists, dropped);
  // The scan's names are those of the client's body; a changed body is searched.
  const mayBeMarked = requested !== clientBody || ((seen ?? allNames) & seenName.cache) !== 0;
  if (marks !== undefined && mayBeMarked) body = withoutMarks(body, marks, dropped);
  let charged: string[] | null = null;
  for (const name in body) {
    const value = body[name];
    if (value === null) continue;
    const hasSurcharge = Object.hasOwn(fields, name) && fields[name]?.includes(value) === false;
    if (hasSurcharge && !isOfGoogle(name, value)) (charged ??= []).push(name);
  }
  if (charged === null) return body;
  const wanted = charged.find((name) => essential.includes(name));
  if (wanted !== undefined) throw new AppError('untranslatable', { field: wanted, dialect: thisChannel }, { field: wanted });
  for (const name of charged) {
    const meaning = Object.hasOwn(clientBody, name) || !Object.hasOwn(said, name) ? undefined : said[name];
    dropped.push((meaning === undefined ? undefined : client.clientFields[meaning]?.name) ?? name);
  }
  return Object.fromEntries(Object.entries(body).filter(([name]) => !charged.includes(name)));
}

/** Reports whether a field has options of Google's chat completions only. https://ai.google.dev/gemini-api/docs/openai#extra-body */
function isOfGoogle(name: string, value: unknown): boolean {
  return name === 'extra_body' && isObject(value) && Object.keys(value).every((member) => member === 'google');
}

interface Member {
  path: string;
  name: string;
  member: string;
  free: readonly unknown[];
}

const knownMembers = new WeakMap<Surcharges['fields'], readonly Member[]>();

/** Returns the entries of `fields` that are members of objects. */
function membersOf(fields: Surcharges['fields']): readonly Member[] {
  let known = knownMembers.get(fields);
  if (known === undefined) {
    known = Object.entries(fields).flatMap(([path, free]) => {
      const [name = '', member] = path.split('.', 2);
      return member === undefined ? [] : [{ path, name, member, free }];
    });
    knownMembers.set(fields, known);
  }
  return known;
}

function withoutMembers(body: CallInput['body'], fields: Surcharges['fields'], dropped: string[]): CallInput['body'] {
  let edited = body;
  for (const { path, name, member, free } of membersOf(fields)) {
    const object = edited[name];
    if (!isObject(object) || isFree(object[member], free)) continue;
    dropped.push(path);
    const { [member]: _charged, ...rest } = object;
    edited = Object.assign({}, edited, { [name]: rest });
  }
  return edited;
}

/** Drops list items with a surcharge, and values that are no list of texts, because their interpretation is unknown. */
function withoutItems(body: CallInput['body'], lists: NonNullable<Surcharges['lists']>, dropped: string[]): CallInput['body'] {
  let edited = body;
  for (const name in lists) {
    const list = edited[name];
    if (list === undefined || list === null) continue;
    const beginnings = lists[name] ?? [];
    const { [name]: _list, ...rest } = edited;
    const items = Array.isArray(list) && list.every((item) => typeof item === 'string') ? list : null;
    const charged = items?.filter((item) => isCharged(item, beginnings));
    if (charged?.length === 0) continue;
    dropped.push(...(charged === undefined ? [name] : charged.map((item) => `${name}: ${item}`)));
    const stored = items?.filter((item) => !isCharged(item, beginnings)) ?? [];
    edited = stored.length === 0 ? rest : { ...edited, [name]: stored };
  }
  return edited;
}

function isCharged(item: string, beginnings: readonly string[]): boolean {
  const name = item.trim().toLowerCase();
  return beginnings.some((beginning) => name.startsWith(beginning));
}

function isFree(value: unknown, free: readonly unknown[]): boolean {
  return value === undefined || value === null || free.includes(value);
}

/** Reports whether a value contains a mark, so that bodies without one are not copied. */
function hasMark(value: unknown, marks: NonNullable<Surcharges['marks']>): boolean {
  if (Array.isArray(value)) return value.some((item) => hasMark(item, marks));
  if (!isObject(value)) return false;
  for (const name in value) {
    const inner = value[name];
    if (typeof inner !== 'object' || inner === null) continue;
    if (Object.hasOwn(marks, name) || hasMark(inner, marks)) return true;
  }
  return false;
}

function withoutMarks(body: CallInput['body'], marks: NonNullable<Surcharges['marks']>, dropped: string[]): CallInput['body'] {
  if (!hasMark(body['messages'], marks) && !hasMark(body['input'], marks)) return body;
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      const list = value.map(walk);
      return list.every((one, index) => one === value[index]) ? value : list;
    }
    if (!isObject(value)) return value;
    let edited = value;
    for (const [name, inner] of Object.entries(value)) {
      const members = Object.hasOwn(marks, name) ? marks[name] : undefined;
      const plain = members !== undefined && isObject(inner) ? plainMark(inner, name, members) : walk(inner);
      if (plain !== inner) edited = Object.assign({}, edited, { [name]: plain });
    }
    return edited;
  };
  const plainMark = (mark: CallInput['body'], name: string, members: Readonly<Record<string, readonly unknown[]>>) => {
    const charged = Object.entries(members).filter(([member, free]) => !isFree(mark[member], free));
    if (charged.length === 0) return mark;
    for (const [member] of charged) if (!dropped.includes(`${name}.${member}`)) dropped.push(`${name}.${member}`);
    return Object.fromEntries(Object.entries(mark).filter(([member]) => !charged.some(([one]) => one === member)));
  };
  const content: Partial<Record<string, unknown>> = {};
  for (const list of ['messages', 'input']) if (Array.isArray(body[list])) content[list] = walk(body[list]);
  return Object.entries(content).every(([list, value]) => value === body[list]) ? body : { ...body, ...content };
}

function plainHeaders(
  clientHeaders: CallInput['clientHeaders'],
  listed: NonNullable<Surcharges['headers']>,
  dropped: string[],
): CallInput['clientHeaders'] {
  let headers = clientHeaders;
  for (const [name, beginnings] of Object.entries(listed)) {
    const items = headers[name]?.split(',') ?? [];
    const charged = items.filter((item) => isCharged(item, beginnings));
    if (charged.length === 0) continue;
    dropped.push(...charged.map((item) => `${name}: ${item.trim()}`));
    const { [name]: _charged, ...others } = headers;
    const stored = items.filter((item) => !isCharged(item, beginnings));
    headers = stored.length === 0 ? others : { ...others, [name]: stored.join(',').trim() };
  }
  return headers;
}
