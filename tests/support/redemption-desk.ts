// What tests of redemption codes and the wallet share: codes made as administrators make them, and what a user has.
import { expect } from 'vitest';
import type { RedemptionRecord } from '#server/db/records/redemption.ts';
import { balanceOf } from '#server/money/account.ts';
import { audit } from '#server/money/audit.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import type { TestApp } from '#tests/support/test-app.ts';

/** The codes themselves. */
export async function makeCodes(admin: TestClient, fields: Record<string, unknown> = {}): Promise<string[]> {
  const answer = await admin.post('/api/redemption/', { name: 'gift', quota: 500_000, count: 1, ...fields });
  expect(answer).toMatchObject({ status: 200, success: true });
  return answer.data;
}

export async function makeCode(admin: TestClient, fields: Record<string, unknown> = {}): Promise<string> {
  const [key] = await makeCodes(admin, fields);
  if (key === undefined) throw new Error('No code was made');
  return key;
}

export async function codeRecord(app: TestApp, key: string): Promise<RedemptionRecord> {
  const record = await app.context.db.collection('redemptions').first({ key_hash: app.context.secrets.hash(key) });
  if (record === null) throw new Error('There is no such code');
  return record;
}

export async function balance(app: TestApp, userId: number | null): Promise<number> {
  const user = await app.context.db.collection('users').get(userId ?? 0);
  if (user === null) throw new Error(`There is no user ${userId}`);
  return balanceOf(user);
}

export async function expectBalancedBooks(app: TestApp): Promise<void> {
  expect((await audit(app.context.db)).findings).toEqual([]);
}

/** What the user's log says of credits. */
export async function creditRows(app: TestApp, userId: number | null) {
  return app.context.db.collection('logs').find({ user_id: userId ?? 0, type: 1 });
}
