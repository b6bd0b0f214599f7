import { AppError } from '#shared/errors.ts';
import { redemptionApi } from '#shared/redemptions.ts';
import { respond, signedIn } from '#server/http/call.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import { createCodes } from './create-codes.ts';
import { editCode, editCodeStatus } from './edit-code.ts';
import { redeemCode } from './redeem-code.ts';
import { changeCodes, deleteUsedCodes, listCodes, presentNamed, readCode } from './store.ts';

export function mountRedemptions(host: RouteHost): void {
  mount(host, redemptionApi.list, ({ context, query }) => listCodes(context, query));
  mount(host, redemptionApi.search, ({ context, query }) => listCodes(context, query));
  mount(host, redemptionApi.read, async ({ context, params }) => presentNamed(context, await readCode(context, idOf(params.id))));
  mount(host, redemptionApi.create, (call) => createCodes(call.context, signedIn(call).user, call.body));
  mount(host, redemptionApi.edit, ({ context, query, body }) =>
    query.status_only === undefined ? editCode(context, body) : editCodeStatus(context, body),
  );
  mount(host, redemptionApi.removeUsed, async ({ context }) => {
    const { count, ids } = await deleteUsedCodes(context);
    return respond(count, { extra: { ids } });
  });
  mount(host, redemptionApi.remove, async ({ context, params }) => {
    if ((await changeCodes(context, [idOf(params.id)], 'delete')) === 0) throw new AppError('not_found');
    return undefined;
  });
  mount(host, redemptionApi.batch, ({ context, body }) => changeCodes(context, body.ids, body.action));
  mount(host, redemptionApi.redeem, (call) => redeemCode(call.context, signedIn(call).user, call.body.key));
}

function idOf(text: string): number {
  const id = Number(text);
  if (id === 0) throw new AppError('redemption_id_empty');
  return id;
}
