// Downloads the price catalogue: bounded in size and time, from public addresses or those that the super administrator has listed.
import type { PriceSyncFailure } from '#shared/price-sync.ts';
import { webhookUrlOf } from '#shared/webhook-url.ts';
import type { AppContext } from '#server/context.ts';
import { type EgressReason, EgressRefusal } from '#server/egress/egress-refusal.ts';
import { isAllowedWebhook } from '#server/notify/webhook-address.ts';
import { CatalogueRefusal } from './catalogues/read-catalogue.ts';

const mostBytes = 16 * 1024 * 1024;
const milliseconds = 30_000;
const redirects = 3;

/** Host of the configured address; empty: none is set. */
export function catalogueHost(settings: AppContext['settings']): string {
  return URL.parse(settings.get('PriceSyncUrl'))?.host ?? '';
}

/** @throws {CatalogueRefusal} */
export async function fetchCatalogue({ egress, settings }: Pick<AppContext, 'egress' | 'settings'>): Promise<string> {
  const url = webhookUrlOf(settings.get('PriceSyncUrl'), true);
  if (url === undefined) throw new CatalogueRefusal('no_address');
  const token = settings.get('PriceSyncToken');
  // A redirect would take a trusted request to an address that is not listed.
  const isTrusted = isAllowedWebhook(settings, url);
  const { status, body } = await egress
    .send({
      url: url.href,
      method: 'GET',
      headers: {
        accept: 'application/json',
        'accept-encoding': 'identity',
        'user-agent': 'Tidegate',
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      },
      milliseconds,
      maxBytes: mostBytes,
      redirects: isTrusted ? 0 : redirects,
      isTrusted,
    })
    .catch((failure: unknown) => {
      if (failure instanceof EgressRefusal) throw new CatalogueRefusal(reasons[failure.reason], failure.reason, { cause: failure });
      throw failure;
    });
  if (status !== 200) throw new CatalogueRefusal('http_status', String(status));
  return body.toString('utf8').replace(/^\uFEFF/, '');
}

const reasons: Readonly<Record<EgressReason, PriceSyncFailure>> = {
  not_https: 'refused_address',
  private_address: 'refused_address',
  refused_port: 'refused_address',
  unknown_host: 'unreachable',
  unreachable: 'unreachable',
  tls: 'unreachable',
  timeout: 'timeout',
  too_large: 'too_large',
  too_many_redirects: 'refused_address',
  broken_answer: 'unreachable',
};
