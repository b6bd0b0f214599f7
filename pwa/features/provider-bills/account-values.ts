import { type BillAccount, type BillAccountInput, type BillProvider, googleZone } from '#shared/bill-accounts.ts';

export interface AccountValues {
  name: string;
  provider: BillProvider;
  /** `#12 Main`. */
  channels: string[];
  zone: string;
  currency: string;
  rate: string;
  factor: string;
  /** A line for each: `name in the bill = name here`. */
  models: string;
  base_url: string;
  /** Undefined: unchanged. */
  key: string | undefined;
}

export function channelLabel({ id, name }: { id: number; name: string }): string {
  return `#${id} ${name}`.trim();
}

export function accountValues(account: BillAccount | undefined): AccountValues {
  return {
    name: account?.name ?? '',
    provider: account?.provider ?? 'openai',
    channels: account?.channels.map(channelLabel) ?? [],
    zone: account?.zone ?? googleZone,
    currency: account?.currency ?? 'USD',
    rate: account?.rate ?? '1',
    factor: account?.factor ?? '1',
    models: Object.entries(account?.models ?? {})
      .map(([billed, here]) => `${billed} = ${here}`)
      .join('\n'),
    base_url: account?.base_url ?? '',
    key: undefined,
  };
}

/** What is typed as a channel without its number is none. */
export function accountBody(
  { channels, models, currency, key, ...values }: AccountValues,
  account: BillAccount | undefined,
): BillAccountInput {
  const pairs = models.split('\n').flatMap((line) => {
    const [billed = '', here = ''] = line.split(/\s*=\s*/, 2).map((part) => part.trim());
    return billed === '' || here === '' ? [] : [[billed, here] as const];
  });
  return {
    ...values,
    currency: currency.trim().toUpperCase(),
    channel_ids: channels.flatMap((label) => {
      const [, id] = /^#?(\d{1,15})(?:\s|$)/.exec(label) ?? [];
      return id === undefined ? [] : [Number(id)];
    }),
    models: Object.fromEntries(pairs),
    ...(key === undefined ? {} : { key }),
    ...(account === undefined ? {} : { revision: account.revision }),
  };
}
