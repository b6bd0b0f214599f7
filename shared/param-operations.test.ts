import { describe, expect, it } from 'vitest';
import { applyOperations, type ParamOperation, ParamOperations } from './param-operations.ts';

const facts = { original_model: 'alias-of-caller', upstream_model: 'gpt-4o' };
const body = () => ({
  model: 'gpt-4o',
  temperature: 0.9,
  name: ' Tide ',
  messages: [
    { role: 'system', content: 'Be brief' },
    { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
  ],
  metadata: { a: 1 },
});
const run = (operations: unknown[], given: object = body()) => {
  const parsed: ParamOperation[] = ParamOperations.parse(operations);
  const before = JSON.stringify(given);
  const after = applyOperations({ ...given }, parsed, facts);
  // What was given stays as it is.
  expect(JSON.stringify(given)).toBe(before);
  return after;
};

describe('operations of a parameter override', () => {
  it('set, delete, move and copy by paths, and create what is missing on the way', () => {
    expect(run([{ mode: 'set', path: 'a.b.c', value: [1] }])).toMatchObject({ a: { b: { c: [1] } } });
    expect(run([{ mode: 'set', path: 'messages.-1.content.0.text', value: 'Ho' }])).toMatchObject({
      messages: [{}, { content: [{ text: 'Ho' }] }],
    });
    expect(run([{ mode: 'set', path: 'messages.*.role', value: 'user' }])).toMatchObject({
      messages: [{ role: 'user' }, { role: 'user' }],
    });
    expect(run([{ mode: 'set', path: 'temperature', value: 0, keep_origin: true }])).toMatchObject({ temperature: 0.9 });
    expect(run([{ mode: 'set', path: 'top\\.p', value: 1 }])).toMatchObject({ 'top.p': 1 });
    expect(
      run([
        { mode: 'delete', path: 'metadata.a' },
        { mode: 'delete', path: 'no.such' },
      ]),
    ).toEqual({ ...body(), metadata: {} });
    expect(run([{ mode: 'delete', path: 'messages.0' }])).toMatchObject({ messages: [{ role: 'user' }] });
    const { temperature: _, ...rest } = body();
    expect(run([{ mode: 'move', from: 'temperature', to: 'options.t' }])).toEqual({ ...rest, options: { t: 0.9 } });
    expect(run([{ mode: 'copy', from: 'name', to: 'user' }])).toMatchObject({ name: ' Tide ', user: ' Tide ' });
    expect(run([{ mode: 'move', from: 'absent', to: 'user' }])).toEqual(body());
  });

  it('add to lists, texts and objects, and edit texts', () => {
    expect(run([{ mode: 'append', path: 'messages', value: { role: 'user', content: 'x' } }]).messages).toHaveLength(3);
    expect(run([{ mode: 'prepend', path: 'messages', value: [1, 2] }])).toMatchObject({ messages: [1, 2, {}, {}] });
    expect(run([{ mode: 'append', path: 'messages.0.content', value: '!' }])).toMatchObject({ messages: [{ content: 'Be brief!' }, {}] });
    expect(run([{ mode: 'append', path: 'metadata', value: { a: 2, b: 3 }, keep_origin: true }])).toMatchObject({
      metadata: { a: 1, b: 3 },
    });
    expect(run([{ mode: 'append', path: 'absent', value: 1 }])).toEqual(body());
    const edits = [
      ['trim_space', {}, 'Tide'],
      ['to_upper', {}, ' TIDE '],
      ['to_lower', {}, ' tide '],
      ['trim_prefix', { value: ' T' }, 'ide '],
      ['trim_suffix', { value: 'x' }, ' Tide '],
      ['ensure_prefix', { value: '>' }, '> Tide '],
      ['ensure_suffix', { value: ' ' }, ' Tide '],
      ['replace', { from: 'i', to: '$&' }, ' T$&de '],
    ] as const;
    for (const [mode, more, name] of edits) expect(run([{ mode, path: 'name', ...more }]), mode).toEqual({ ...body(), name });
    expect(
      run([
        { mode: 'to_upper', path: 'temperature' },
        { mode: 'trim_space', path: 'absent.x' },
      ]),
    ).toEqual(body());
  });

  it('apply under conditions, one of which or all must hold', () => {
    const changed = (conditions: object[], logic?: string) =>
      run([{ mode: 'set', path: 'temperature', value: 1, conditions, ...(logic === undefined ? {} : { logic }) }]).temperature === 1;
    const yes = { path: 'model', mode: 'prefix', value: 'gpt' };
    const no = { path: 'temperature', mode: 'lt', value: 0.5 };
    expect([changed([yes, no]), changed([yes, no], 'AND'), changed([yes], 'AND'), changed([no])]).toEqual([true, false, true, false]);
    expect([changed([{ ...no, invert: true }]), changed([{ ...yes, path: 'absent' }])]).toEqual([true, false]);
    expect(changed([{ ...yes, path: 'absent', pass_missing_key: true }])).toBe(true);
    expect(changed([{ path: 'original_model', mode: 'full', value: 'alias-of-caller' }])).toBe(true);
    expect(changed([{ path: 'messages.0.content', mode: 'contains', value: 'brief' }])).toBe(true);
  });

  it('reach nothing but the request', () => {
    run([
      { mode: 'set', path: '__proto__.polluted', value: 1 },
      { mode: 'set', path: 'constructor.prototype.polluted', value: 1 },
    ]);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    expect(ParamOperations.safeParse(Array.from({ length: 101 }, () => ({ mode: 'delete', path: 'a' }))).success).toBe(false);
  });
});
