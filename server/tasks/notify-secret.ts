// The address at which an upstream tells of one task. It holds a secret that is good for that task alone.
import { timingSafeEqual } from 'node:crypto';
import type { AppContext } from '#server/context.ts';

/** Null: this site does not know where it is reached. */
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
