import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { wrongField } from './input-rule.ts';

function sentence(schema: z.ZodType, input: unknown): string {
  const issue = schema.safeParse(input).error?.issues[0];
  if (issue === undefined) throw new Error('The input is right');
  const { path, rule } = wrongField(issue, input);
  return `${path} ${rule.en}`;
}

describe('what is said of a choice', () => {
  const Range = z.object({ from: z.int().min(0), to: z.int() });
  const value = (schema: z.ZodType) => z.object({ value: schema });

  it.each([
    ['nothing', z.union([z.string(), z.number()]), undefined, 'value is required'],
    ['no type of it', z.union([z.string(), z.number(), z.boolean()]), [], 'value must be a text, a number, or true or false'],
    ['no type of two', z.union([z.string(), z.array(z.int())]), 5, 'value must be a text, or must be a list'],
    [
      'no type of a choice in it',
      z.union([z.string(), z.union([z.boolean(), z.array(z.int())])]),
      5,
      'value must be a text, or must be true or false, or must be a list',
    ],
    ['its type, and too little', z.union([z.string(), z.number().min(3)]), 2, 'value must be at least 3'],
    [
      'its type within a choice in it, and too long',
      z.union([z.boolean(), z.union([z.number(), z.string().max(2)])]),
      'abc',
      'value must have at most 2 characters',
    ],
    ['a field of another type in it', z.union([z.string(), Range]), { from: 'x', to: 1 }, 'value.from must be a number'],
    ['a field missing in it', z.union([z.string(), Range]), { from: 1 }, 'value.to is required'],
    [
      'a field too little in it',
      z.union([z.boolean(), z.union([z.string(), Range])]),
      { from: -1, to: 1 },
      'value.from must be at least 0',
    ],
    ['an element of another type', z.union([z.string(), z.array(z.int())]), [1, 'x'], 'value.1 must be a number'],
    ['neither the word nor the type', z.union([z.number(), z.literal('auto')]), 'up', 'value must be one of auto, or must be a number'],
    ['none of the words', z.union([z.literal('on'), z.literal('off')]), 'up', 'value must be one of on, off'],
  ])('%s', (_name, schema, input, expected) => {
    expect(sentence(value(schema), { value: input })).toBe(expected);
  });
});
