import { describe, expect, it } from 'vitest';
import type { AuditedName } from '#server/db/records/audit-entry.ts';
import { auditedFields, modeOf } from './audited-fields.ts';
import { auditText } from './audit-text.ts';
import { differenceOf } from './masked-difference.ts';

const needle = 'sk-needle0123456789';
const names = Object.keys(auditedFields).filter((name): name is AuditedName => name in auditedFields);
const fields = names.flatMap((name) => Object.keys(auditedFields[name]).map((field) => ({ name, field, mode: modeOf(name, field) })));

const record = (fields_: object) => ({ id: 1, revision: 1, ...fields_ });

describe('difference of a record', () => {
  it('every field whose name speaks of a secret is one, or is not stored', () => {
    // The end of an old key is a time.
    const suspicious = fields.filter(
      ({ field }) => /hash|cipher|secret|password|token_|key|subject/i.test(field) && field !== 'old_key_until',
    );
    expect(suspicious.length).toBeGreaterThan(15);
    for (const { name, field, mode } of suspicious) expect(['secret', 'none'], `${name}.${field}`).toContain(mode);
  });

  it.each(fields.filter(({ mode }) => mode === 'secret' || mode === 'none' || mode === 'names'))(
    '$name.$field ($mode): no value is stored, however it changes',
    ({ name, field, mode }) => {
      const [one, other] =
        mode === 'names' ? [`{"a":"${needle}1"}`, `{"a":"${needle}2","b":{"c":"${needle}"}}`] : [`${needle}1`, `${needle}2`];
      for (const [before, after] of [
        [record({ [field]: one }), record({ [field]: other })],
        [record({}), record({ [field]: one })],
        [record({ [field]: one }), record({})],
        [null, record({ [field]: one })],
      ] as const) {
        const { changes } = differenceOf(name, before, after);
        expect(JSON.stringify(changes)).not.toContain('needle');
        expect(changes.length > 0).toBe(mode !== 'none');
      }
    },
  );

  it('JSON settings: only values of known entries, and none of a text that is no object', () => {
    const setting = (proxy: string, weight: boolean) =>
      JSON.stringify({ proxy, header_override: { authorization: proxy }, force_format: weight, unknown: proxy });
    const { changes } = differenceOf(
      'channels',
      record({ setting: setting(`${needle}1`, false) }),
      record({ setting: setting(`${needle}2`, true) }),
    );
    expect(changes).toEqual([
      { field: 'setting.proxy', secret: 'replaced' },
      { field: 'setting.header_override', secret: 'replaced' },
      { field: 'setting.force_format', before: false, after: true },
      { field: 'setting.unknown', secret: 'replaced' },
    ]);
    expect(
      JSON.stringify(differenceOf('users', record({ setting: '' }), record({ setting: `{"webhook_url":"https://${needle}"` }))),
    ).not.toContain('needle');
    expect(differenceOf('channels', record({ setting: '' }), record({ setting: `no JSON ${needle}` })).changes).toEqual([
      { field: 'setting', secret: 'set' },
    ]);
  });

  it('addresses: without credentials and query', () => {
    const { changes } = differenceOf(
      'channels',
      record({ base_url: `https://user:${needle}@one.example/v1?key=${needle}` }),
      record({ base_url: `https://two.example/v1#${needle}` }),
    );
    expect(changes).toEqual([{ field: 'base_url', before: 'https://one.example/v1', after: 'https://two.example/v1' }]);
    const odd = ['  https://u:KEY@h/v1', 'https:\\\\u:KEY@h\\v1', 'https://u:a/KEY@h/v1', 'u:KEY@h/v1', '//u:KEY@h/v1'].map((one) =>
      one.replace('KEY', needle),
    );
    for (const address of odd)
      expect(JSON.stringify(differenceOf('channels', record({ base_url: '' }), record({ base_url: address })))).not.toContain(needle);
    expect(
      differenceOf('channels', record({ base_url: 'https://a.example?k=1' }), record({ base_url: 'https://a.example?k=2' })).changes,
    ).toEqual([{ field: 'base_url', secret: 'replaced' }]);
  });

  it('lists: what was added and removed, bounded; another order is no change', () => {
    expect(differenceOf('channels', record({ models: 'a,b,c' }), record({ models: 'c,b,d' })).changes).toEqual([
      { field: 'models', added: ['d'], removed: ['a'] },
    ]);
    expect(differenceOf('channels', record({ models: 'a,b' }), record({ models: 'b,a' })).changes).toEqual([]);
    const many = Array.from({ length: 5000 }, (_, index) => `model-${index}-${'x'.repeat(200)}`).join(',');
    const { changes } = differenceOf('channels', record({ models: '' }), record({ models: many }));
    expect(changes[0]).toMatchObject({ more: 4980 });
    expect(JSON.stringify(changes).length).toBeLessThan(4_000);
  });

  it('bounds what is stored, whatever is changed', () => {
    const mapping = JSON.stringify(Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`m${index}`, 'x'.repeat(2000)])));
    const { changes, more } = differenceOf('channels', record({}), record({ model_mapping: mapping, other: 'y'.repeat(100_000) }));
    expect(changes).toHaveLength(40);
    expect(more).toBe(961);
    expect(JSON.stringify(changes).length).toBeLessThan(40_000);
  });

  it('texts: one line, well formed, without characters that deceive', () => {
    expect(auditText('a\r\nb\u0000c\u202ed\ud800')).toBe('a b c d\ufffd');
    expect(auditText('潮'.repeat(600))).toHaveLength(501);
  });
});
