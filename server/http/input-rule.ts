// What a schema finds wrong with an input, as a rule for people: schemas speak of types and patterns.
import type { z } from 'zod';
import type { LocalText } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';

type Issue = z.core.$ZodIssue;

/** @param input what the schema was given, to tell a missing field from a wrong one */
export function ruleOf(issue: Issue, input: unknown): LocalText {
  switch (issue.code) {
    case 'invalid_type':
      return valueAt(input, issue.path) === undefined ? fieldRules.required : typeRule(issue.expected);
    case 'too_small':
      return smallRule(issue);
    case 'too_big':
      return bigRule(issue);
    case 'invalid_value':
      return fieldRules.oneOf(issue.values.map(String));
    case 'invalid_format':
      return issue.format === 'regex' && issue.pattern !== undefined && isDigits(issue.pattern) ? fieldRules.integer : fieldRules.invalid;
    case 'invalid_union':
      return valueAt(input, issue.path) === undefined ? fieldRules.required : unionRule(issue);
    default:
      return fieldRules.invalid;
  }
}

const typeRules: Readonly<Record<string, LocalText>> = {
  string: fieldRules.text,
  number: fieldRules.number,
  int: fieldRules.integer,
  boolean: fieldRules.boolean,
  array: fieldRules.list,
  object: fieldRules.object,
  record: fieldRules.object,
};

function typeRule(expected: string): LocalText {
  return typeRules[expected] ?? fieldRules.invalid;
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

/** When a choice has the right type, what it is too much or too little of; else what it may be. */
function unionRule({ errors }: Extract<Issue, { code: 'invalid_union' }>): LocalText {
  const inner = errors.flat().find(({ code }) => code !== 'invalid_type');
  if (inner !== undefined) return ruleOf(inner, undefined);
  return fieldRules.scalar;
}

function isDigits(pattern: string): boolean {
  return /^\/?\^\\d(\+|\{\d+,\d+\})\$\/?$/.test(pattern);
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  return value;
}
