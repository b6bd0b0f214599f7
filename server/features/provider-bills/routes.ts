import { AppError } from '#shared/errors.ts';
import { fieldRules, invalidField } from '#shared/field-rules.ts';
import { mappingFault } from '#shared/bill-formats.ts';
import { type BillMapping, billApi } from '#shared/provider-bills.ts';
import type { AppContext } from '#server/context.ts';
import { pageBounds, pageResponse } from '#server/http/paging.ts';
import { signedIn } from '#server/http/call.ts';
import { mountReading } from '#server/http/fair-reads.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import { createAccount, findAccount, removeAccount, updateAccount } from './accounts.ts';
import { driftReport, driftRows } from './drift-rows.ts';
import { termsOf } from './entries.ts';
import { createBillExports } from './export-bills.ts';
import { hasUsageApi } from './fetch-usage.ts';
import { listRequests } from './list-requests.ts';
import { presentImport, presentMapping, readOverview } from './present-bill.ts';
import { readBillFile } from './read-file.ts';
import { beginImport, runImport } from './run-import.ts';
import { fetchBill } from './tend-bills.ts';

const mostMappings = 100;

export function mountBills(host: RouteHost): void {
  const { context } = host;
  const exports = createBillExports(host);
  mountReading(host, billApi.read, () => readOverview(context));
  mountReading(host, billApi.drift, ({ query }) => driftReport(context, query));
  mountReading(host, billApi.rows, async ({ query }) => {
    const bounds = pageBounds(query);
    const { rows, total } = await driftRows(context, query, bounds);
    return pageResponse(rows, bounds, total);
  });
  mount(host, billApi.exportRows, (call) => exports.rows(call.query, { facts: call.facts, userId: signedIn(call).user.id }));
  mountReading(host, billApi.requests, ({ query }) => listRequests(context, query));
  mount(host, billApi.exportRequests, (call) => exports.requests(call.query, { facts: call.facts, userId: signedIn(call).user.id }));
  mount(host, billApi.create, ({ body }) => createAccount(context, body));
  mount(host, billApi.update, ({ params, body }) => updateAccount(context, Number(params.id), body));
  mount(host, billApi.remove, async ({ params }) => {
    await removeAccount(context, Number(params.id));
    return undefined;
  });
  mount(host, billApi.fetch, async (call) => {
    const account = await findAccount(context, Number(call.params.id));
    if (!hasUsageApi(account)) throw new AppError('bill_no_usage_api');
    return presentImport(await fetchBill(context, account, { userId: signedIn(call).user.id }), account.name);
  });
  mount(host, billApi.upload, async (call) => {
    const { file_name: fileName = '', mapping: chosen } = call.query;
    const account = await findAccount(context, Number(call.params.id));
    const mappings = (await context.db.collection('bill_mappings').find({})).map(presentMapping);
    if (chosen !== undefined && !mappings.some(({ name }) => name === chosen)) throw invalidField('mapping', fieldRules.invalid);
    const running = await beginImport(context, account, { source: 'file', fileName, userId: signedIn(call).user.id });
    const onFormat = (format: string) => void (running.record.format = format);
    const rows = readBillFile(call.bytes, { terms: termsOf(account), mappings, chosen, onFormat });
    return presentImport(await runImport(running, rows), account.name);
  });
  mount(host, billApi.stop, async ({ params }) => {
    const imports = context.db.collection('bill_imports');
    if ((await imports.patch({ id: Number(params.id), running: { exists: true } }, { set: { is_stopped: true } })) === null)
      throw new AppError('not_found');
    return undefined;
  });
  mount(host, billApi.saveMapping, ({ body }) => saveMapping(context, body));
  mount(host, billApi.removeMapping, async ({ query }) => {
    if ((await context.db.collection('bill_mappings').take({ id: query.name ?? '' })) === null) throw new AppError('not_found');
    return undefined;
  });
}

async function saveMapping({ db, now }: AppContext, mapping: BillMapping): Promise<BillMapping> {
  const wrong = mappingFault(mapping.columns);
  if (wrong !== undefined)
    throw invalidField(`columns.${wrong}`, mapping.columns[wrong] === undefined ? fieldRules.required : fieldRules.standsOnce);
  const { name: id, decimal } = mapping;
  const columns = Object.entries(mapping.columns).map(([field, column]) => ({ field, column }));
  const mappings = db.collection('bill_mappings');
  if ((await mappings.get(id)) === null && (await mappings.count({}, mostMappings)) >= mostMappings)
    throw new AppError('bill_mappings_full', { count: mostMappings });
  const set = { columns, decimal, changed_at: now() };
  await mappings.patch({ id }, { set }, { insertIfMissing: { id, ...set } });
  return mapping;
}
