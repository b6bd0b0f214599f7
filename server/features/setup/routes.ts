import { setupApi } from '#shared/setup.ts';
import { answer } from '#server/http/call.ts';
import { mount } from '#server/http/mount.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { setUp } from './set-up.ts';
import { readSetupState } from './setup-state.ts';

export function mountSetup(host: RouteHost): void {
  mount(host, setupApi.status, async ({ context }) => {
    const { isDone, hasRoot } = await readSetupState(context);
    if (isDone) return { status: true, root_init: false, database_type: '', secret_required: false };
    return {
      status: false,
      root_init: hasRoot,
      database_type: context.db.kind === 'embedded' ? 'sqlite' : 'mongodb',
      secret_required: context.env.SETUP_SECRET !== undefined,
    };
  });
  mount(host, setupApi.submit, async ({ body, context, facts }) => {
    await setUp(context, body, facts.ip);
    return answer(undefined, { notice: 'setup_finished' });
  });
}
