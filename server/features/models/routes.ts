import { modelApi } from '#shared/models.ts';
import { respond } from '#server/http/call.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import { defaultModels } from './default-models.ts';
import { createPriceList, priceGroups } from './list-prices.ts';

export function mountModels(host: RouteHost): void {
  const listPrices = createPriceList(host.context);
  mount(host, modelApi.pricing, ({ context, caller }) =>
    respond(listPrices(), { extra: priceGroups(context.settings, caller?.user.group ?? null) }),
  );
  mount(host, modelApi.groups, ({ context }) => {
    const { default: _always, ...others } = context.settings.get('GroupRatio');
    return ['default', ...Object.keys(others).toSorted()];
  });
  mount(host, modelApi.byType, () => defaultModels());
}
