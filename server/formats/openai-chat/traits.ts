// Applies the provider's record to a chat completions request: a body that no rule changes is returned as the same object.
import { isObject } from '#server/framing/loose-json.ts';
import { type Body, type BodyEdit, createEdit } from '../body-edit.ts';
import { refusesRetention, retentionField } from '../prompt-cache.ts';
import type { EncodeInput } from '../encode-input.ts';
import type { ModelFacts } from '#server/model-facts/model-facts.ts';
import type { ThinkingWords } from '../provider-traits.ts';
import type { Route } from '../route.ts';
import { effortNamed, nearestEffort, refusesSampling } from '../reasoning-models.ts';
import { allNames, seenName } from '../seen-names.ts';
import type { AppliedTraits } from '../upstream-dialect.ts';
import { thoughtsRule } from '../thoughts-rule.ts';
import { missedName } from '../missed-fields.ts';
import { callIdRule } from './call-ids.ts';
import { fitCalls } from './fit-calls.ts';
import { clientFields } from './format-fields.ts';
import { writeThinkingFields } from './thinking-fields.ts';
import { withPlaceholders } from './thoughts-back.ts';

export function applyTraits(body: Body, input: EncodeInput): AppliedTraits {
  return changesNothing(body, input) ? { body, dropped: nothing } : applyRules(body, input);
}

const nothing: readonly string[] = [];

/** Whether no rule concerns the body, as for most: it has no field of a rule, and its messages need no adaptation. */
function changesNothing(body: Body, { route, seen = allNames, body: scanned }: EncodeInput): boolean {
  if (body !== scanned || (seen & seenName.toolCalls) !== 0) return false;
  let concern = concerns.get(route);
  if (concern === undefined) concerns.set(route, (concern = concernOf(route)));
  if (concern === 'every body' || (route.isDeveloperRole && beginsWithSystem(body))) return false;
  for (const field in body) if (concern.has(field) || (field !== 'model' && isOtherModel(field))) return false;
  return true;
}

/** Fields that a route's rules read or change. */
type Concern = ReadonlySet<string> | 'every body';
const concerns = new WeakMap<Route, Concern>();

function concernOf({ provider, rules, set, upstreamModel }: Route): Concern {
  const { thoughts, thinking, adapt } = provider;
  const hasPlaceholders = thoughts?.placeholders?.some(({ models }) => models.test(upstreamModel)) === true;
  if (set !== null || adapt !== undefined || hasPlaceholders) return 'every body';
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
  add(provider.drop);
  return fields;
}

/** Whether a field is `model` in other letters, which a case-insensitive parser would take for the billed model. */
function isOtherModel(field: string): boolean {
  return field.length === 5 && field !== 'model' && field.toLowerCase() === 'model';
}

function applyRules(body: Body, input: EncodeInput): AppliedTraits {
  const { isCount, route } = input;
  const edit = createEdit(body);
  const dropped: string[] = [];
  const result = () => ({ body: edit.result(), dropped });
  const lose = (field: string) => {
    if (!edit.has(field)) return;
    const name = missedName(field, edit.get(field), input, clientFields);
    if (name !== undefined) dropped.push(name);
    edit.drop(field);
  };
  for (const key in body) if (isOtherModel(key)) edit.drop(key);
  if (isCount === true) return result();
  for (const rule of route.rules) {
    if (rule.rename !== undefined) for (const [from, to] of Object.entries(rule.rename)) edit.rename(from, to);
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
  for (const field of route.provider.drop ?? []) lose(field);
  route.provider.adapt?.(edit, lose);
  return result();
}

/** Replaces a rejected effort with the nearest that the model supports. */
function fitEffort(edit: BodyEdit, input: EncodeInput, dropped: string[]): void {
  const { facts } = input.route;
  const taken = facts?.thinking === null ? [] : facts?.thinking?.efforts;
  const effort = effortNamed(edit.get(effortField));
  if (taken === undefined || effort === undefined || taken.includes(effort)) return;
  const isMissed = facts?.thinking !== null || effort !== 'none';
  const name = isMissed ? missedName(effortField, effort, input, clientFields) : undefined;
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
function fitThinking(edit: BodyEdit, { input, words, facts }: FittedThinking, dropped: string[]): void {
  const effort = effortNamed(edit.get(effortField));
  if (effort === undefined) return;
  const { fields, isAsWished } = writeThinkingFields(effort === 'none' ? { isOn: false } : { isOn: true, effort }, facts, words);
  if (!isAsWished) {
    const name = missedName(effortField, effort, input, clientFields);
    if (name !== undefined) dropped.push(name);
  }
  edit.drop(effortField);
  for (const field in fields) if (!edit.has(field)) edit.set(field, fields[field]);
}

/** Cursor sends tool call turns with an empty list, which OpenAI rejects. */
function fillEmptyTurns(edit: BodyEdit): void {
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
function fitMessages(edit: BodyEdit, input: EncodeInput): void {
  const messages = edit.get('messages');
  if (!Array.isArray(messages)) return;
  const { provider, upstreamModel } = input.route;
  const fitted = withPlaceholders(fitCalls(messages, provider.callIds ?? callIdRule), thoughtsRule(input), upstreamModel);
  if (fitted !== messages) edit.set('messages', fitted);
}

function beginsWithSystem({ messages }: Body): boolean {
  return Array.isArray(messages) && isObject(messages[0]) && messages[0].role === 'system';
}

function developerRole(edit: BodyEdit): void {
  const messages = edit.get('messages');
  if (!Array.isArray(messages) || !isObject(messages[0]) || messages[0].role !== 'system') return;
  edit.set('messages', [{ ...messages[0], role: 'developer' }, ...messages.slice(1)]);
}
