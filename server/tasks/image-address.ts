// URL of a drawing's image: at this site, unless the administrator exposes the upstream's URL.
import type { AppContext } from '#server/context.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { siteAddressOrLocal } from '#server/settings/site-address.ts';

/** Empty if there is no image. */
export function imageAddress({ settings, env }: Pick<AppContext, 'settings' | 'env'>, task: TaskRecord): string {
  if (task.image_url === '' || task.upstream_id === undefined || !settings.get('MjForwardUrlEnabled')) return task.image_url;
  return `${siteAddressOrLocal(settings, env)}/mj/image/${encodeURIComponent(task.upstream_id)}`;
}
