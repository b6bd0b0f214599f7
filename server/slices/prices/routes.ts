import { AppError } from '#shared/errors.ts';
import { priceSyncApi } from '#shared/price-sync.ts';
import { mayWriteSetting } from '#shared/settings.ts';
import { Download, signedIn } from '#server/http/call.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import { ownDocument } from './catalogues/own-list.ts';
import { applyReviewed, dismissReviewed, planReviewed, withdrawPlan } from './decide-changes.ts';
import { presentRun, readSync } from './present-sync.ts';
import { readHistory } from './read-history.ts';
import { runSync } from './run-sync.ts';

export function mountPrices(host: RouteHost): void {
  mount(host, priceSyncApi.read, ({ context }) => readSync(context));
  mount(host, priceSyncApi.run, async (call) =>
    presentRun(await runSync(call.context, { trigger: 'console', userId: signedIn(call).user.id })),
  );
  mount(host, priceSyncApi.apply, (call) => {
    const actor = signedIn(call).user;
    const { changes, at } = call.body;
    return at === undefined ? applyReviewed(call.context, changes, actor) : planReviewed(call.context, changes, { actor, at });
  });
  mount(host, priceSyncApi.dismiss, ({ context, body }) => dismissReviewed(context, body.changes));
  mount(host, priceSyncApi.withdraw, async ({ context, params }) => {
    await withdrawPlan(context, Number(params.id));
    return undefined;
  });
  mount(host, priceSyncApi.history, ({ context, query }) => {
    const before = Number(query.before ?? Number.NaN);
    return readHistory(context, { model: query.model, ...(Number.isSafeInteger(before) ? { before } : {}) });
  });
  mount(host, priceSyncApi.list, ({ context, caller }) => {
    const isAllowed = context.settings.get('PriceListPublic') || (caller !== null && mayWriteSetting('ModelRatio', caller.user.role));
    if (!isAllowed) throw new AppError('not_found');
    const text = `${JSON.stringify(ownDocument(context.settings, Math.floor(context.now() / 1000)), null, 2)}\n`;
    return new Download({ type: 'application/json', fileName: 'prices.json', bytes: Buffer.byteLength(text), parts: once(text) });
  });
}

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}
