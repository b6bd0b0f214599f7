// Reads cache requests strictly: fields that cost more than storage are rejected. https://ai.google.dev/api/caching
import { fieldRules } from '#shared/field-rules.ts';
import { storableText } from '#server/db/storable.ts';
import { refuseAccountObject } from '#server/formats/provider-objects.ts';
import { objectsOf, plainNames } from '#server/formats/proto-json.ts';
import { clientDialects, upstreamDialects } from '#server/formats/registry.ts';
import { requestedModel } from '#server/formats/requested-model.ts';
import { checkSchemas } from '#server/formats/schema-parts.ts';
import { badField, StrictFields } from '#server/framing/strict-fields.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { countNames } from '#server/call/admission/check-names.ts';

/** Seconds. */
const lifetimes = { least: 60, usual: 3600, most: 7 * 24 * 3600 };
const longestName = 128;
const contentNames = ['contents', 'systemInstruction', 'tools', 'toolConfig'] as const;
const known: ReadonlySet<string> = new Set([...contentNames, 'model', 'displayName', 'ttl', 'expireTime', 'name']);
const changeable: ReadonlySet<string> = new Set(['ttl', 'expireTime', 'name', 'model', 'displayName']);
const notStored = { zh: '不能放入缓存', en: 'cannot be kept in a cache' };

export interface CacheRequest {
  model: string;
  displayName: string;
  /** Unix seconds of its end, from those of its creation. */
  until(created: number): number;
  /** Contents in the provider's format. */
  contents: Readonly<Record<string, unknown>>;
}

/** @param now milliseconds @throws {AppError} `invalid_request`, `account_object_refused`, `model_required` */
export function readCache(body: unknown, now: number): CacheRequest {
  const { call, fields } = opened(body, known);
  const model = requestedModel({ model: (fields.text('model') ?? '').replace(/^models\//, '') });
  const contents = Object.fromEntries(contentNames.flatMap((name) => (fields.has(name) ? [[name, fields.raw(name)] as const] : [])));
  if (contents['contents'] === undefined && contents['systemInstruction'] === undefined) throw badField('contents', fieldRules.required);
  call.check({ ...contents, contents: contents['contents'] ?? placeholder });
  checkSchemas(clientDialects.gemini.schemasIn(contents));
  refuseAccountObject(upstreamDialects.gemini.findAccountObject(contents));
  // Runs of other tools could not be charged to the calls that use them.
  for (const tool of objectsOf(fields, 'tools')) {
    const [other] = new StrictFields(plainNames(tool.plain)).others(ofFunctions);
    if (other !== undefined) throw badField(tool.path(other), notStored);
  }
  const displayName = fields.text('displayName') ?? '';
  if (displayName.length > longestName) throw badField('displayName', fieldRules.longest(longestName));
  const until = endIn(fields, now) ?? ((created: number) => created + lifetimes.usual);
  return { model, displayName: storableText(displayName, longestName), until, contents };
}

const ofFunctions: ReadonlySet<string> = new Set(['functionDeclarations']);
/** Contents of a cache that has only instructions. */
const placeholder = [{ role: 'user', parts: [{ text: '.' }] }];

/**
 * Unix seconds of the new end.
 * @throws {AppError} `invalid_request`
 */
export function readChange(body: unknown, now: number): number {
  const { fields } = opened(body, changeable);
  const until = endIn(fields, now);
  if (until === undefined) throw badField('ttl', fieldRules.required);
  return until(Math.floor(now / 1000));
}

function opened(body: unknown, names: ReadonlySet<string>) {
  if (!isObject(body)) throw badField('body', fieldRules.object);
  const call = clientDialects.gemini.calls.chat;
  countNames(body, call.names);
  const fields = new StrictFields(plainNames(body));
  const [other] = fields.others(names);
  if (other !== undefined) throw badField(other.slice(0, 100).replaceAll(/\p{Cc}/gu, '?'), fieldRules.invalid);
  return { call, fields };
}

/** Undefined if not set. Fractions of seconds are rounded up. */
function endIn(fields: StrictFields, now: number): CacheRequest['until'] | undefined {
  const [ttl, expireTime] = [fields.text('ttl'), fields.text('expireTime')];
  if (ttl !== undefined && expireTime !== undefined) throw badField('expireTime', fieldRules.standsOnce);
  if (ttl === undefined && expireTime === undefined) return undefined;
  const field = ttl === undefined ? 'expireTime' : 'ttl';
  const from = Math.floor(now / 1000);
  const seconds = ttl === undefined ? Math.ceil(timeIn(expireTime ?? '') / 1000) - from : secondsIn(ttl);
  if (!(seconds >= lifetimes.least && seconds <= lifetimes.most)) {
    throw badField(field, {
      zh: `必须在 ${lifetimes.least} 秒到 ${lifetimes.most} 秒之间`,
      en: `must be from ${lifetimes.least} to ${lifetimes.most} seconds ahead`,
    });
  }
  return ttl === undefined ? () => from + seconds : (begin) => begin + seconds;
}

function secondsIn(ttl: string): number {
  const [, seconds] = /^(\d{1,12}(?:\.\d{1,9})?)s$/.exec(ttl) ?? [];
  return seconds === undefined ? Number.NaN : Math.ceil(Number(seconds));
}

function timeIn(text: string): number {
  return /^\d{4}-\d{2}-\d{2}T[\d:.]{8,20}(?:Z|[+-]\d{2}:\d{2})$/.test(text) ? Date.parse(text) : Number.NaN;
}
