// Translates schema issues into rules that people understand.
import type { z } from 'zod';
import type { LocalText } from '#shared/errors.ts';
import { checkedRule, fieldRules } from '#shared/field-rules.ts';

type Issue = z.core.$ZodIssue;

/** Maximum length of an unknown field's name. */
const longestKey = 64;

/**
 * Returns the invalid field and its rule. For a union, chooses the alternative that matches the value's type.
 * @param input the validated value, to distinguish missing from wrong fields
 */
export function wrongField(issue: Issue, input: unknown): { path: string; rule: LocalText } {
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    return { path: [...issue.path, key.slice(0, longestKey)].join('.'), rule: fieldRules.notHere };
  }
  const value = valueAt(input, issue.path);
  if (issue.code !== 'invalid_union' || value === undefined) return { path: issue.path.join('.'), rule: ruleOf(issue, value) };
  const alternatives = alternativesOf(issue);
  const isOther = (found: Issue) => found.path.length === 0 && (found.code === 'invalid_type' || found.code === 'invalid_value');
  const intended = alternatives.find((issues) => !issues.some(isOther))?.[0];
  if (intended !== undefined) return wrongField({ ...intended, path: [...issue.path, ...intended.path] }, input);
  return { path: issue.path.join('.'), rule: choiceRule(alternatives.flat().filter(isOther)) };
}

function ruleOf(issue: Issue, value: unknown): LocalText {
  switch (issue.code) {
    case 'invalid_type':
      return value === undefined ? fieldRules.required : typeRule(issue.expected);
    case 'too_small':
      return smallRule(issue);
    case 'too_big':
      return bigRule(issue);
    case 'invalid_value':
      return fieldRules.oneOf(issue.values.map(String));
    case 'invalid_format':
      return issue.format === 'regex' && issue.pattern !== undefined && isDigits(issue.pattern) ? fieldRules.integer : fieldRules.invalid;
    case 'invalid_union':
      return fieldRules.required;
    case 'invalid_key': {
      const [reason] = issue.issues;
      return reason === undefined ? fieldRules.invalid : ruleOf(reason, value);
    }
    case 'custom':
      return checkedRule(issue.params) ?? fieldRules.invalid;
    default:
      return fieldRules.invalid;
  }
}

const typeRules: ReadonlyMap<string, LocalText> = new Map<string, LocalText>([
  ['string', fieldRules.text],
  ['number', fieldRules.number],
  ['int', fieldRules.integer],
  ['boolean', fieldRules.boolean],
  ['array', fieldRules.list],
  ['object', fieldRules.object],
  ['record', fieldRules.object],
]);

function typeRule(expected: string): LocalText {
  return typeRules.get(expected) ?? fieldRules.invalid;
}

function smallRule({ origin, minimum, inclusive }: Extract<Issue, { code: 'too_small' }>): LocalText {
  if (origin === 'string') return fieldRules.shortest(minimum);
  if (origin === 'array' || origin === 'set') return fieldRules.fewest(minimum);
  return inclusive === false ? fieldRules.moreThan(minimum) : fieldRules.atLeast(minimum);
}

function bigRule({ origin, maximum, inclusive }: Extract<Issue, { code: 'too_big' }>): LocalText {
  if (origin === 'string') return fieldRules.longest(maximum);
  if (origin === 'array' || origin === 'set') return fieldRules.most(maximum);
  return inclusive === false ? fieldRules.lessThan(maximum) : fieldRules.atMost(maximum);
}

/** Issues of each alternative; nested unions are flattened. */
function alternativesOf({ errors }: Extract<Issue, { code: 'invalid_union' }>): Issue[][] {
  return errors.flatMap((issues) => {
    const [first, ...others] = issues;
    return first?.code === 'invalid_union' && first.path.length === 0 && others.length === 0 ? alternativesOf(first) : [issues];
  });
}

/** Rule for a value that matches no type and no literal. */
function choiceRule(issues: readonly Issue[]): LocalText {
  const types = new Set(issues.flatMap((issue) => (issue.code === 'invalid_type' ? [issue.expected] : [])));
  const words = issues.flatMap((issue) => (issue.code === 'invalid_value' ? issue.values.map(String) : []));
  const isScalar = types.size === 3 && types.has('string') && types.has('number') && types.has('boolean');
  const rules = isScalar ? [fieldRules.scalar] : [...types].map(typeRule);
  return fieldRules.anyOf(words.length === 0 ? rules : [fieldRules.oneOf(words), ...rules]);
}

function isDigits(pattern: string): boolean {
  return /^\/?\^\\d(\+|\{\d+,\d+\})\$\/?$/.test(pattern);
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  return value;
}
