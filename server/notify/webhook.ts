// A notice to an address that a user gave: a POST whose body is signed with their secret, through the guarded egress or, where the
// operator has named one, through their worker.
import { createHmac } from 'node:crypto';
import { webhookUrlOf } from '#shared/webhook-url.ts';
import type { Egress, EgressAnswer } from '#server/egress/egress.ts';
import { type NotificationText, webhookContent } from '#server/notify/notification-texts.ts';
import type { Settings } from '#server/settings/settings.ts';
import { isAllowedWebhook } from './webhook-address.ts';

export interface WebhookDependencies {
  egress: Egress;
  settings: Settings;
  now(): number;
}

export interface WebhookTarget {
  url: string;
  /** Empty: the request is not signed. */
  secret: string;
  /** The same for every attempt at one notice, so that the receiver knows it again. */
  id: string;
}

const milliseconds = 5_000;
const redirects = 3;

/** The status that came back. @throws {EgressRefusal} */
export async function sendWebhook(parts: WebhookDependencies, { url, secret, id }: WebhookTarget, text: NotificationText): Promise<number> {
  const { type, title, values } = text;
  const timestamp = Math.floor(parts.now() / 1000);
  const payload = { type, title, content: webhookContent(text), ...(values.length === 0 ? {} : { values }), timestamp };
  const body = Buffer.from(JSON.stringify(payload));
  const headers = {
    'Content-Type': 'application/json',
    'X-Webhook-Id': id,
    ...(secret === '' ? {} : { Authorization: `Bearer ${secret}`, 'X-Webhook-Signature': signatureOf(secret, body) }),
  };
  const request = { url, method: 'POST', headers, body, milliseconds, maxBytes: 0 } as const;
  const target = webhookUrlOf(url, true);
  // Checked against the current list. A redirect would take a trusted request to an address that is not permitted.
  if (target !== undefined && isAllowedWebhook(parts.settings, target)) {
    return (await parts.egress.send({ ...request, redirects: 0, isTrusted: true })).status;
  }
  const worker = parts.settings.get('WorkerUrl');
  const answer =
    worker === '' ? await parts.egress.send({ ...request, redirects }) : await sendByWorker(parts, worker, { url, headers, payload });
  return answer.status;
}

/** HMAC-SHA-256 of the body, in hex. */
export function signatureOf(secret: string, body: Buffer): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** The worker is the operator's own; it checks addresses as well. */
function sendByWorker(
  { egress, settings }: WebhookDependencies,
  worker: string,
  { url, headers, payload }: { url: string; headers: Record<string, string>; payload: object },
): Promise<EgressAnswer> {
  const wrapped = { url, key: settings.get('WorkerValidKey'), method: 'POST', headers, body: payload };
  return egress.send({
    url: `${worker}/`,
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: Buffer.from(JSON.stringify(wrapped)),
    milliseconds,
    maxBytes: 0,
    redirects: 0,
    isTrusted: true,
  });
}
