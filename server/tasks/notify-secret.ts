// Callback URL for one task's upstream. It contains a secret valid for that task only.
import { timingSafeEqual } from 'node:crypto';
import type { AppContext } from '#server/context.ts';

/** Null if the site's URL is not set. */
export function notifyAddress({ settings, secrets }: Pick<AppContext, 'settings' | 'secrets'>, taskId: number): string | null {
  const site = settings.get('ServerAddress');
  return site === '' ? null : `${site}/mj/notify/${taskId}/${secretOf(secrets, taskId)}`;
}

export function isNotifySecret({ secrets }: Pick<AppContext, 'secrets'>, taskId: number, given: string): boolean {
  const expected = Buffer.from(secretOf(secrets, taskId));
  const bytes = Buffer.from(given);
  return bytes.length === expected.length && timingSafeEqual(bytes, expected);
}

function secretOf(secrets: AppContext['secrets'], taskId: number): string {
  return secrets.hash(`notify of task ${taskId}`);
}
