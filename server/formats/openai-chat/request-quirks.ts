// Applies `RequestQuirks` copy-on-write: a body that no rule changes is returned as the same object.
import { isObject } from '#server/framing/loose-json.ts';
import { refusesRetention, retentionField } from '../cache-retention.ts';
import type { EncodeInput } from '../encode-input.ts';
import type { ModelFacts } from '#server/model-facts/model-facts.ts';
import type { RequestQuirks, ThinkingWords } from '../provider-traits.ts';
import type { Route } from '../route.ts';
import { effortNamed, nearestEffort, refusesSampling } from '../reasoning-models.ts';
import { allNames, seenName } from '../seen-names.ts';
import type { AppliedTraits } from '../upstream-dialect.ts';
import { thoughtsRule } from '../thoughts-rule.ts';
import { missedName } from '../unsaid.ts';
import { callIdRule } from './call-ids.ts';
import { fitCalls } from './fit-calls.ts';
import { saidFields } from './said-fields.ts';
import { sayThinking } from './thinking-fields.ts';
import { withPlaceholders } from './thoughts-back.ts';

type Body = Readonly<Record<string, unknown>>;

export function applyQuirks(body: Body, input: EncodeInput): AppliedTraits {
  return changesNothing(body, input) ? { body, dropped: nothing } : applyRules(body, input);
}

const nothing: readonly string[] = [];

/** Whether no rule concerns the body, as with most: it has none of their fields, and its messages are none that are adapted. */
function changesNothing(body: Body, { route, seen = allNames, body: scanned }: EncodeInput): boolean {
  if (body !== scanned || (seen & seenName.toolCalls) !== 0) return false;
  let concern = concerns.get(route);
  if (concern === undefined) concerns.set(route, (concern = concernOf(route)));
  if (concern === 'every body') return false;
  for (const field in body) if (concern.has(field) || isOtherModel(field)) return false;
  return true;
}

/** Fields that a route's rules read or change. */
type Concern = ReadonlySet<string> | 'every body';
const concerns = new WeakMap<Route, Concern>();

function concernOf({ provider, rules, set, isDeveloperRole }: Route): Concern {
  const { quirks = {}, thoughts, thinking } = provider;
  const editsMessages = quirks.dropFromMessages !== undefined || quirks.images !== undefined || thoughts?.placeholders !== undefined;
  if (set !== null || isDeveloperRole || editsMessages) return 'every body';
  const fields = new Set<string>();
  const add = (names: Iterable<string> = []) => {
    for (const name of names) fields.add(name);
  };
  for (const { rename = {}, drop, sampling, fitsEffort, fitsRetention } of rules) {
    add(Object.keys(rename));
    add(drop);
    add(sampling);
    if (fitsEffort === true) fields.add(effortField);
    if (fitsRetention === true) fields.add(retentionField);
  }
  if (thinking !== undefined) fields.add(effortField);
  for (const table of [quirks.rename, quirks.replace, quirks.clamp]) add(Object.keys(table ?? {}));
  add(quirks.drop);
  if (quirks.withTools !== undefined) fields.add('tools');
  if (quirks.stopAsList === true) fields.add('stop');
  return fields;
}

/** Case-insensitive parsers would take `MODEL` for the model, which is not the billed one. */
function isOtherModel(field: string): boolean {
  return field.length === 5 && field !== 'model' && field.toLowerCase() === 'model';
}

function applyRules(body: Body, input: EncodeInput): AppliedTraits {
  const { isCount, route } = input;
  const quirks = route.provider.quirks;
  const edit = createEdit(body);
  const dropped: string[] = [];
  const result = () => ({ body: edit.result(), dropped });
  const lose = (field: string) => {
    if (!edit.has(field)) return;
    const name = missedName(field, edit.get(field), input, saidFields);
    if (name !== undefined) dropped.push(name);
    edit.drop(field);
  };
  for (const key in body) if (isOtherModel(key)) edit.drop(key);
  if (isCount === true) return result();
  for (const rule of route.rules) {
    renameFields(edit, rule.rename);
    for (const field of rule.drop ?? []) lose(field);
  }
  fillEmptyTurns(edit);
  fitMessages(edit, input);
  if (route.set !== null) {
    for (const field in route.set) if (!edit.has(field)) edit.set(field, route.set[field]);
  }
  if (route.provider.thinking !== undefined && route.facts !== undefined)
    fitThinking(edit, { input, words: route.provider.thinking, facts: route.facts }, dropped);
  else if (route.rules.some(({ fitsEffort }) => fitsEffort === true)) fitEffort(edit, input, dropped);
  if (route.rules.some(({ fitsRetention }) => fitsRetention === true) && refusesRetention(route.facts, edit.get(retentionField)))
    lose(retentionField);
  const effort = route.paramOverride?.['reasoning_effort'] ?? edit.get('reasoning_effort');
  for (const { sampling } of route.rules) {
    if (sampling !== undefined && route.facts !== undefined && refusesSampling(route.facts, effort))
      for (const field of sampling) lose(field);
  }
  if (route.isDeveloperRole) developerRole(edit);
  if (quirks === undefined) return result();

  renameFields(edit, quirks.rename);
  for (const field of quirks.drop ?? []) lose(field);
  for (const field in quirks.replace) {
    const value = edit.get(field);
    const other = typeof value === 'string' ? quirks.replace[field]?.[value] : undefined;
    if (other !== undefined) edit.set(field, other);
  }
  for (const field in quirks.clamp) {
    const value = edit.get(field);
    const bounds = quirks.clamp[field];
    if (typeof value !== 'number' || bounds === undefined) continue;
    if (bounds.above !== undefined && value >= bounds.above.at) edit.set(field, bounds.above.to);
    else if (bounds.below !== undefined && value <= bounds.below.at) edit.set(field, bounds.below.to);
  }
  if (quirks.withTools !== undefined && edit.has('tools')) {
    for (const field in quirks.withTools) if (!edit.has(field)) edit.set(field, quirks.withTools[field]);
  }
  if (quirks.stopAsList === true && typeof edit.get('stop') === 'string') edit.set('stop', [edit.get('stop')]);
  if (quirks.dropFromMessages !== undefined || quirks.images !== undefined) editMessages(edit, quirks);
  return result();
}

/** Replaces a rejected effort with the nearest that the model supports. */
function fitEffort(edit: Edit, input: EncodeInput, dropped: string[]): void {
  const { facts } = input.route;
  const taken = facts?.thinking === null ? [] : facts?.thinking?.efforts;
  const effort = effortNamed(edit.get(effortField));
  if (taken === undefined || effort === undefined || taken.includes(effort)) return;
  const isMissed = facts?.thinking !== null || effort !== 'none';
  const name = isMissed ? missedName(effortField, effort, input, saidFields) : undefined;
  if (name !== undefined) dropped.push(name);
  const nearest = nearestEffort(effort, taken, facts?.thinking?.effortsAs);
  if (nearest === undefined) edit.drop(effortField);
  else edit.set(effortField, nearest);
}

const effortField = 'reasoning_effort';

interface FittedThinking {
  input: EncodeInput;
  words: ThinkingWords;
  facts: ModelFacts;
}

/** Maps OpenAI's effort to the provider's fields; the caller's values of those take precedence. */
function fitThinking(edit: Edit, { input, words, facts }: FittedThinking, dropped: string[]): void {
  const effort = effortNamed(edit.get(effortField));
  if (effort === undefined) return;
  const { fields, isAsWished } = sayThinking(effort === 'none' ? { isOn: false } : { isOn: true, effort }, facts, words);
  if (!isAsWished) {
    const name = missedName(effortField, effort, input, saidFields);
    if (name !== undefined) dropped.push(name);
  }
  edit.drop(effortField);
  for (const field in fields) if (!edit.has(field)) edit.set(field, fields[field]);
}

interface Edit {
  has(field: string): boolean;
  get(field: string): unknown;
  set(field: string, value: unknown): void;
  drop(field: string): void;
  result(): Body;
}

function createEdit(body: Body): Edit {
  let copy: Record<string, unknown> | undefined;
  return {
    has: (field) => Object.hasOwn(copy ?? body, field),
    get(field) {
      const current = copy ?? body;
      return Object.hasOwn(current, field) ? current[field] : undefined;
    },
    set(field, value) {
      copy ??= { ...body };
      copy[field] = value;
    },
    drop(field) {
      if (!Object.hasOwn(copy ?? body, field)) return;
      copy ??= { ...body };
      delete copy[field];
    },
    result: () => copy ?? body,
  };
}

/** If the client sent both, the target of a rename takes precedence. */
function renameFields(edit: Edit, names: Readonly<Record<string, string>> | undefined): void {
  for (const from in names) {
    const to = names[from];
    if (to === undefined || !edit.has(from)) continue;
    if (edit.get(to) === undefined || edit.get(to) === null) edit.set(to, edit.get(from));
    edit.drop(from);
  }
}

/** Cursor sends tool call turns with an empty list, which OpenAI rejects. */
function fillEmptyTurns(edit: Edit): void {
  const messages = edit.get('messages');
  if (!Array.isArray(messages) || !messages.some(saysNothingInAList)) return;
  edit.set(
    'messages',
    messages.map((message: unknown) => (saysNothingInAList(message) ? { ...message, content: null } : message)),
  );
}

function saysNothingInAList(message: unknown): message is Body {
  if (!isObject(message) || !Array.isArray(message.content) || message.content.length > 0) return false;
  return message.role === 'assistant' && Array.isArray(message.tool_calls);
}

/** Adapts tool calls and thinking of earlier turns to the provider. */
function fitMessages(edit: Edit, input: EncodeInput): void {
  const messages = edit.get('messages');
  if (!Array.isArray(messages)) return;
  const { provider, upstreamModel } = input.route;
  const fitted = withPlaceholders(fitCalls(messages, provider.callIds ?? callIdRule), thoughtsRule(input), upstreamModel);
  if (fitted !== messages) edit.set('messages', fitted);
}

function developerRole(edit: Edit): void {
  const messages = edit.get('messages');
  if (!Array.isArray(messages) || !isObject(messages[0]) || messages[0].role !== 'system') return;
  edit.set('messages', [{ ...messages[0], role: 'developer' }, ...messages.slice(1)]);
}

function editMessages(edit: Edit, quirks: RequestQuirks): void {
  const messages = edit.get('messages');
  if (!Array.isArray(messages)) return;
  const edited = messages.map((message: unknown) => (isObject(message) ? editMessage(message, quirks) : message));
  if (edited.some((message, index) => message !== messages[index])) edit.set('messages', edited);
}

function editMessage(message: Body, quirks: RequestQuirks): Body {
  const edit = createEdit(message);
  for (const field of quirks.dropFromMessages ?? []) edit.drop(field);
  const { content } = message;
  if (quirks.images !== undefined && Array.isArray(content) && content.some((part) => isObject(part) && part.type === 'image_url')) {
    edit.set(
      'content',
      content.map((part: unknown) => imagePart(part, quirks.images)),
    );
  }
  return edit.result();
}

function imagePart(part: unknown, style: RequestQuirks['images']): unknown {
  if (!isObject(part) || part.type !== 'image_url') return part;
  const image = isObject(part.image_url) ? part.image_url : { url: part.image_url };
  if (typeof image.url !== 'string') return part;
  if (style === 'text') return { ...part, image_url: image.url };
  return { ...part, image_url: { ...image, url: image.url.replace(/^data:[^,]*;base64,/, '') } };
}
