import { setupApi } from '#shared/setup.ts';
import { presentUser } from '#server/accounts/present-user.ts';
import { respond } from '#server/http/call.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import { endSession, startSession } from '#server/http/session.ts';
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
    const root = await setUp(context, body, facts);
    if (root === null) return respond(undefined, { notice: 'setup_finished' });
    await endSession(context, facts);
    return respond(presentUser(root), { notice: 'setup_finished', headers: { 'set-cookie': await startSession(context, root, facts) } });
  });
}
