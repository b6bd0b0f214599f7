import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { StrictFields } from './strict-fields.ts';

const at = (field: string) => expect.objectContaining({ code: 'invalid_request', field });
const anything = fc.anything({ withBigInt: false, withNullPrototype: true });

const readers: readonly { kind: string; read: (fields: StrictFields) => unknown; isRight: (value: unknown) => boolean }[] = [
  { kind: 'text', read: (fields) => fields.text('a'), isRight: (value) => typeof value === 'string' },
  { kind: 'number', read: (fields) => fields.number('a'), isRight: (value) => typeof value === 'number' && Number.isFinite(value) },
  {
    kind: 'integer',
    read: (fields) => fields.integer('a', -5, 5),
    isRight: (value) => Number.isInteger(value) && Number(value) >= -5 && Number(value) <= 5,
  },
  { kind: 'boolean', read: (fields) => fields.boolean('a'), isRight: (value) => typeof value === 'boolean' },
  { kind: 'list', read: (fields) => fields.list('a'), isRight: Array.isArray },
  { kind: 'choice', read: (fields) => fields.oneOf('a', ['x', 'y']), isRight: (value) => value === 'x' || value === 'y' },
];

describe.each(readers)('a field that is to be a $kind', ({ read, isRight }) => {
  const values = fc.oneof(
    anything,
    fc.integer({ min: -7, max: 7 }),
    fc.constantFrom<unknown>('x', 'y', 'z', true, [], -5, 5, 6, -6, 0.5, Number.NaN, Infinity, '5'),
  );

  test('is read as it is, or refused by its name', () => {
    fc.assert(
      fc.property(values, (value) => {
        const fields = new StrictFields({ a: value });
        if (value === null || value === undefined) expect(read(fields)).toBeUndefined();
        else if (isRight(value)) expect(read(fields)).toBe(value);
        else expect(() => read(fields)).toThrow(at('a'));
      }),
    );
  });

  it('may be absent, and is not found on the prototype', () => {
    expect(read(new StrictFields({}))).toBeUndefined();
    expect(read(new StrictFields(Object.create({ a: 'x' })))).toBeUndefined();
  });
});

test('fields: a name says where it stands', () => {
  const fields = new StrictFields({ tools: [{ name: 'a' }, { name: 1, nested: { deep: 'x' } }, 'no object'] });
  expect(() => fields.objects('tools')).toThrow(at('tools.2'));
  const [first, second] = new StrictFields({ tools: [{ name: 'a' }, { name: 1, nested: { deep: 'x' } }] }).objects('tools');
  expect(first?.requiredText('name')).toBe('a');
  expect(() => second?.text('name')).toThrow(at('tools.1.name'));
  expect(() => second?.requiredText('missing')).toThrow(at('tools.1.missing'));
  expect(() => second?.fields('nested')?.number('deep')).toThrow(at('tools.1.nested.deep'));
});

test('fields: unknown ones are reported, except empty ones', () => {
  expect(new StrictFields({ known: 1, extra: 0, empty: null, other: false }).others(new Set(['known']))).toEqual(['extra', 'other']);
});
