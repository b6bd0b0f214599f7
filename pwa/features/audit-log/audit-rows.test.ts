import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '#shared/audit-log.ts';
import { auditRows } from './audit-rows.ts';

const entry = (id: number, fields: Partial<AuditEntry> = {}): AuditEntry => ({
  id: String(id),
  at: 0,
  actor: { user_id: 1, name: 'root', by: 'session' },
  kind: 'code',
  action: 'created',
  object: `code:${id}`,
  object_id: String(id),
  name: 'spring',
  changes: [],
  more: 0,
  reason: '',
  ip: '',
  user_agent: '',
  request_id: 'r1',
  count: 1,
  last_at: 0,
  is_unconfirmed: false,
  ...fields,
});

describe('rows of the audit log', () => {
  it('what one call did to many objects is one row', () => {
    const rows = auditRows([entry(1), entry(2), entry(3), entry(4, { request_id: 'r2' }), entry(5, { request_id: 'r2' })]);
    expect(rows.map(({ entry: one, others }) => [one.id, others.length])).toEqual([
      ['1', 2],
      ['4', 0],
      ['5', 0],
    ]);
  });

  it('other actions, other objects of no call and changes of one object stay apart', () => {
    expect(auditRows([entry(1), entry(2, { action: 'deleted' }), entry(3)])).toHaveLength(3);
    expect(auditRows([1, 2, 3].map((id) => entry(id, { request_id: '' })))).toHaveLength(3);
    expect(auditRows([1, 2, 3].map((id) => entry(id, { object: 'code:9' })))).toHaveLength(3);
  });
});
