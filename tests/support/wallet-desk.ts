// What tests of payments share: a site that takes them through a stand-in of a payment aggregator.
import { expect } from 'vitest';
import { type FakeEpay, startFakeEpay } from '#tests/support/fake-epay.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import type { TestApp } from '#tests/support/test-app.ts';

export async function openPayment(app: TestApp, root: TestClient, epay: FakeEpay): Promise<void> {
  const options = {
    ServerAddress: app.origin,
    PayAddress: epay.url,
    EpayId: epay.merchant.id,
    EpayKey: epay.merchant.key,
    TopupGroupRatio: JSON.stringify({ default: 1, vip: 0.95 }),
  };
  for (const [key, value] of Object.entries(options))
    expect(await root.put('/api/option/', { key, value })).toMatchObject({ success: true });
}

export { startFakeEpay };

/** An order that the aggregator knows, as it does once a browser has posted the form. */
export async function placeOrder(client: TestClient, epay: FakeEpay, amount = 10): Promise<string> {
  const answer = await client.post('/api/user/pay', { amount, payment_method: 'zfb', top_up_code: '' });
  expect(answer).toMatchObject({ status: 200, success: true, message: 'success' });
  const url = typeof answer.body === 'object' && answer.body !== null && 'url' in answer.body ? String(answer.body.url) : '';
  expect(await epay.submit({ url, fields: answer.data })).toBe(200);
  return answer.data.out_trade_no;
}
