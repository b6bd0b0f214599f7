import { AppError } from '#shared/errors.ts';
import { fieldRules, invalidField } from '#shared/field-rules.ts';
import { type BillAccount, type BillAccountInput, BillFetchFailure, usageApis, zoneOf } from '#shared/bill-accounts.ts';
import { withEditLock } from '#server/accounts/edit-lock.ts';
import type { AppContext } from '#server/context.ts';
import type { BillAccountRecord } from '#server/db/records/bill.ts';
import { beginCosts } from '#server/logs/fold-costs.ts';
import { isZone } from './calendar.ts';

export const mostAccounts = 100;
const mostModels = 500;
/** Days from this one on are compared again after an edit: all. */
const always = '0000-01-01';

/** @throws {AppError} `invalid_field`, `bill_channel_taken` */
export function createAccount(context: AppContext, input: BillAccountInput): Promise<BillAccount> {
  return withAccountLock(context, () => create(context, input));
}

async function create(context: AppContext, input: BillAccountInput): Promise<BillAccount> {
  const { db, now } = context;
  const fields = await checked(context, input, null);
  if ((await db.collection('bill_accounts').count({}, mostAccounts)) >= mostAccounts)
    throw invalidField('name', fieldRules.most(mostAccounts));
  const record: BillAccountRecord = {
    id: await db.nextId('bill_accounts'),
    ...fields,
    key_cipher: '',
    revision: 1,
    ...keyFields(context, input),
  };
  // First, so that a crash leaves no account without costs.
  await beginCosts(db, now());
  await db.collection('bill_accounts').insert(record);
  return presentAccount(context, record);
}

/** @throws {AppError} `invalid_field`, `bill_channel_taken`, `not_found`, `revision_conflict` */
export function updateAccount(context: AppContext, id: number, input: BillAccountInput): Promise<BillAccount> {
  return withAccountLock(context, () => update(context, id, input));
}

async function update(context: AppContext, id: number, input: BillAccountInput): Promise<BillAccount> {
  const accounts = context.db.collection('bill_accounts');
  for (;;) {
    const current = await accounts.get(id);
    if (current === null) throw new AppError('not_found');
    if (input.revision !== undefined && input.revision !== current.revision)
      throw new AppError('revision_conflict', {}, { data: await presentAccount(context, current) });
    const fields = await checked(context, input, current);
    const { fetch_at: fetchAt, ...key } = keyFields(context, input);
    const isDue = fetchAt !== undefined;
    const isRemoved = input.key === '' || usageApis[fields.provider] === undefined;
    const set = {
      ...fields,
      ...key,
      ...(isDue && !isRemoved ? { fetch_at: fetchAt } : {}),
      revision: current.revision + 1,
      compare_from: always,
    };
    const unset = [...(isRemoved ? (['fetch_at'] as const) : []), ...(isDue || isRemoved ? (['failure', 'fetched_at'] as const) : [])];
    const stored = await accounts.patch({ id, revision: current.revision }, { set, unset });
    if (stored !== null) return presentAccount(context, stored);
  }
}

/** Two edits at once could give one channel to two accounts. */
function withAccountLock<Result>(context: AppContext, work: () => Promise<Result>): Promise<Result> {
  return withEditLock(context, 'bill-accounts', work);
}

/** @throws {AppError} `not_found` */
export async function removeAccount({ db }: AppContext, id: number): Promise<void> {
  if ((await db.collection('bill_accounts').take({ id })) === null) throw new AppError('not_found');
  // Its imports end by themselves: their record is gone.
  for (const name of ['bill_imports', 'bill_days', 'bill_requests'] as const) await db.collection(name).remove({ account_id: id });
}

/** @throws {AppError} `not_found` */
export async function findAccount({ db }: Pick<AppContext, 'db'>, id: number): Promise<BillAccountRecord> {
  const account = await db.collection('bill_accounts').get(id);
  if (account === null) throw new AppError('not_found');
  return account;
}

type Fields = Pick<
  BillAccountRecord,
  'name' | 'provider' | 'channel_ids' | 'zone' | 'currency' | 'rate' | 'factor' | 'models' | 'base_url'
>;

async function checked({ db }: AppContext, input: BillAccountInput, current: BillAccountRecord | null): Promise<Fields> {
  const { name, provider, currency, factor } = input;
  const zone = zoneOf[provider] ?? input.zone;
  if (!isZone(zone)) throw invalidField('zone', fieldRules.invalid);
  const channelIds = [...new Set(input.channel_ids)];
  const channels = await db.collection('channels').find({ id: { in: channelIds } });
  const known = new Set([...channels.map(({ id }) => id), ...(current?.channel_ids ?? [])]);
  if (!channelIds.every((id) => known.has(id))) throw invalidField('channel_ids', fieldRules.invalid);
  for (const other of await db.collection('bill_accounts').find({})) {
    const taken = other.id === current?.id ? undefined : other.channel_ids.find((id) => channelIds.includes(id));
    if (taken !== undefined) throw new AppError('bill_channel_taken', { channel: taken, name: other.name }, { field: 'channel_ids' });
  }
  const models = Object.entries(input.models).map(([billed, here]) => ({ billed, here }));
  if (models.length > mostModels) throw invalidField('models', fieldRules.most(mostModels));
  return {
    name,
    provider,
    channel_ids: channelIds,
    zone,
    currency,
    rate: currency === 'USD' ? '1' : input.rate,
    factor,
    models,
    base_url: input.base_url.replace(/\/+$/, ''),
  };
}

/** A new key is used at once. */
function keyFields(
  { secrets, now }: AppContext,
  { key, provider }: BillAccountInput,
): Partial<Pick<BillAccountRecord, 'key_cipher' | 'fetch_at'>> {
  if (usageApis[provider] === undefined || key === '') return { key_cipher: '' };
  return key === undefined ? {} : { key_cipher: secrets.encrypt(key, 'bill_key'), fetch_at: now() };
}

export async function presentAccount({ db, channels }: AppContext, record: BillAccountRecord): Promise<BillAccount> {
  const days = db.collection('bill_days');
  const [first, last] = await Promise.all([
    days.first({ account_id: record.id }, { sort: [['day', 1]] }),
    days.first({ account_id: record.id }, { sort: [['day', -1]] }),
  ]);
  const {
    id,
    name,
    provider,
    zone,
    currency,
    rate,
    factor,
    base_url,
    revision,
    failure,
    fetch_at: fetchAt,
    fetched_at: fetchedAt,
  } = record;
  return {
    id,
    name,
    provider,
    channels: record.channel_ids.map((channel) => ({ id: channel, name: channels.get(channel)?.name ?? '' })),
    zone,
    currency,
    rate,
    factor,
    models: Object.fromEntries(record.models.map(({ billed, here }) => [billed, here])),
    base_url,
    has_key: record.key_cipher !== '',
    revision,
    ...(first === null ? {} : { first_day: first.day }),
    ...(last === null ? {} : { last_day: last.day }),
    ...(fetchAt === undefined
      ? {}
      : {
          fetch: {
            next_at: seconds(fetchAt),
            ...(fetchedAt === undefined ? {} : { done_at: seconds(fetchedAt) }),
            ...(failure === undefined ? {} : { failure: { ...presentFailure(failure), at: seconds(failure.at), tries: failure.tries } }),
          },
        }),
  };
}

function presentFailure({ code, text }: { code: string; text: string }) {
  const parsed = BillFetchFailure.safeParse(code);
  return { code: parsed.success ? parsed.data : ('other' as const), text };
}

export function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
