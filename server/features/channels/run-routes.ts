import { channelRunApi } from '#shared/channel-runs.ts';
import { respond, signedIn } from '#server/http/call.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import { readRuns, startRun, stopRun } from './channel-runs.ts';
import { readChannel } from './store.ts';
import { updateBalance } from './update-balance.ts';

export function mountChannelRuns(host: RouteHost): void {
  mount(host, channelRunApi.testAll, async (call) => {
    await startRun(call.context, 'tests', { actor: signedIn(call).user, language: call.facts.language });
    return undefined;
  });
  mount(host, channelRunApi.updateBalances, async (call) => {
    await startRun(call.context, 'balances', { actor: signedIn(call).user, language: call.facts.language });
    return undefined;
  });
  mount(host, channelRunApi.updateBalance, async ({ context, params }) => {
    const channel = await readChannel(context, Number(params.id));
    const { balance } = await updateBalance({ context }, channel);
    return respond(undefined, { extra: { balance } });
  });
  mount(host, channelRunApi.runs, ({ context }) => readRuns(context));
  mount(host, channelRunApi.stop, async ({ context, body }) => {
    await stopRun(context, body.kind);
    return readRuns(context);
  });
}
