// Every call of the console's API with who may make it. The first list is the specification's with the calls that existing
// clients of this family make; the second is what Tidegate adds. A call that is mounted without a row here fails the build.
import type { Access } from '#shared/contract.ts';

export interface ConsoleCall {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With `{name}` for what varies, as the OpenAPI document has it. */
  path: string;
  access: Access;
}

/** `method path access` */
const specified = `
GET /api/setup public
POST /api/setup public
GET /api/status public
GET /api/models user
GET /api/status/test admin
GET /api/notice public
GET /api/about public
GET /api/home_page_content public
GET /api/pricing optional
GET /api/verification optional
GET /api/reset_password public
POST /api/user/reset public
GET /api/oauth/github optional
GET /api/oauth/oidc optional
GET /api/oauth/linuxdo optional
GET /api/oauth/state optional
GET /api/oauth/wechat public
GET /api/oauth/wechat/bind user
GET /api/oauth/email/bind user
GET /api/oauth/telegram/login public
GET /api/oauth/telegram/bind user
POST /api/user/register public
POST /api/user/login public
GET /api/user/logout public
GET /api/user/groups public
GET /api/user/self/groups user
GET /api/user/self user
GET /api/user/models user
PUT /api/user/self user
DELETE /api/user/self user
GET /api/user/token user
GET /api/user/aff user
POST /api/user/topup user
POST /api/user/pay user
POST /api/user/amount user
POST /api/user/aff_transfer user
PUT /api/user/setting user
GET /api/user/ admin
GET /api/user/search admin
GET /api/user/{id} admin
POST /api/user/ admin
POST /api/user/manage admin
PUT /api/user/ admin
DELETE /api/user/{id} admin
GET /api/option/ admin
PUT /api/option/ admin
POST /api/option/rest_model_ratio admin
GET /api/channel/ admin
GET /api/channel/search admin
GET /api/channel/models admin
GET /api/channel/models_enabled admin
GET /api/channel/{id} admin
GET /api/channel/test admin
GET /api/channel/test/{id} admin
GET /api/channel/update_balance admin
GET /api/channel/update_balance/{id} admin
POST /api/channel/ admin
PUT /api/channel/ admin
DELETE /api/channel/disabled admin
POST /api/channel/tag/disabled admin
POST /api/channel/tag/enabled admin
PUT /api/channel/tag admin
DELETE /api/channel/{id} admin
POST /api/channel/batch admin
POST /api/channel/fix admin
GET /api/channel/fetch_models/{id} admin
POST /api/channel/fetch_models admin
POST /api/channel/batch/tag admin
GET /api/token/ user
GET /api/token/search user
GET /api/token/{id} user
POST /api/token/ user
PUT /api/token/ user
DELETE /api/token/{id} user
GET /api/redemption/ admin
GET /api/redemption/search admin
GET /api/redemption/{id} admin
POST /api/redemption/ admin
PUT /api/redemption/ admin
DELETE /api/redemption/{id} admin
GET /api/log/ admin
DELETE /api/log/ admin
GET /api/log/stat admin
GET /api/log/self/stat user
GET /api/log/timeline admin
GET /api/log/self/timeline user
GET /api/log/search admin
GET /api/log/self user
GET /api/log/self/search user
GET /api/data/ admin
GET /api/data/self user
GET /api/log/token public
GET /api/group/ admin
GET /api/mj/self user
GET /api/mj/ admin
GET /api/task/self user
GET /api/task/ admin
`;

const added = `
POST /api/token/batch user
PUT /api/token/batch user
POST /api/token/{id}/renew user
DELETE /api/token/{id}/old_key user
GET /api/user_token/ admin
POST /api/user_token/find admin
GET /api/user_token/{id} admin
PUT /api/user_token/{id} admin
POST /api/user_token/{id}/block admin
POST /api/user_token/{id}/unblock admin
POST /api/user_token/{id}/move admin
DELETE /api/user_token/{id} admin
GET /api/rate_limit/ user
GET /api/budget/ user
GET /api/budget/periods user
POST /api/budget/raise user
POST /api/budget/reset user
GET /api/group/uses admin
GET /api/group/move admin
POST /api/group/rename admin
POST /api/group/remove admin
GET /api/organisation/ user
GET /api/organisation/all admin
POST /api/organisation/ user
GET /api/organisation/{id} user
PUT /api/organisation/{id} user
PUT /api/organisation/{id}/manage admin
DELETE /api/organisation/{id} user
POST /api/organisation/{id}/fund user
GET /api/organisation/{id}/members user
PUT /api/organisation/{id}/members user
PUT /api/organisation/{id}/members/{user} user
DELETE /api/organisation/{id}/members/{user} user
GET /api/organisation/{id}/invites user
POST /api/organisation/{id}/invites user
DELETE /api/organisation/{id}/invites/{invite} user
POST /api/organisation/invite/open user
POST /api/organisation/invite/accept user
GET /api/organisation/{id}/teams user
POST /api/organisation/{id}/teams user
PUT /api/organisation/{id}/teams/{team} user
DELETE /api/organisation/{id}/teams/{team} user
GET /api/organisation/{id}/usage user
POST /api/organisation/{id}/scim_token user
DELETE /api/organisation/{id}/scim_token user
GET /api/invitation/ admin
POST /api/invitation/check admin
POST /api/invitation/ admin
POST /api/invitation/{id}/send admin
DELETE /api/invitation/{id} admin
POST /api/invitation/open public
POST /api/invitation/accept public
GET /api/statement/accounts admin
GET /api/statement/accounts/sum admin
GET /api/statement/accounts/export admin
GET /api/channel/figures admin
GET /api/channel/{id}/keys admin
POST /api/channel/{id}/keys/check admin
POST /api/channel/{id}/keys admin
PUT /api/channel/{id}/keys/{key} admin
POST /api/channel/{id}/keys/{key}/replace admin
PUT /api/channel/{id}/keys admin
POST /api/channel/{id}/keys/remove admin
POST /api/channel/{id}/keys/{key}/test admin
GET /api/channel/{id}/keys/{key}/places admin
POST /api/channel/keys/find admin
POST /api/channel/keys/replace admin
GET /api/channel/keys/replacements admin
POST /api/channel/keys/replacements/{id}/undo admin
GET /api/channel/failing admin
GET /api/channel/summary admin
POST /api/channel/test admin
GET /api/first-call user
GET /api/log/{id} admin
POST /api/log/{id}/refund admin
GET /api/log/self/{id} user
PUT /api/option/batch admin
DELETE /api/oauth/{binding}/bind user
DELETE /api/redemption/used admin
DELETE /api/user/token user
DELETE /api/user/{id}/sessions admin
GET /api/channel/tags admin
GET /api/data/desk admin
GET /api/data/figures admin
GET /api/data/self/figures user
GET /api/option/history admin
POST /api/option/price_effect admin
GET /api/status/update admin
GET /api/user/notifications user
GET /api/user/{id}/balance_history admin
GET /api/user/{id}/statement admin
GET /api/user/{id}/invitations admin
POST /api/oauth/start optional
POST /api/option/history/{id}/undo admin
POST /api/option/test_mail root
POST /api/redemption/batch admin
GET /api/app_authorization/ user
POST /api/app_authorization/ user
POST /api/app_authorization/device user
POST /api/app_authorization/device/decide user
POST /api/token/restore user
POST /api/channel/restore admin
POST /api/user/notifications/test user
GET /api/price/sync admin
POST /api/price/sync admin
POST /api/price/sync/apply admin
POST /api/price/sync/dismiss admin
DELETE /api/price/plan/{id} admin
GET /api/price/history admin
GET /api/price/list optional
GET /api/backup/ root
POST /api/backup/ root
POST /api/backup/{id}/stop root
GET /api/backup/{id}/file root
GET /api/status/page optional
GET /api/status/incident optional
POST /api/status/incident admin
PUT /api/status/incident/{id} admin
POST /api/status/incident/{id}/update admin
DELETE /api/status/incident/{id} admin
GET /api/bill/ admin
GET /api/bill/drift admin
GET /api/bill/rows admin
GET /api/bill/rows/export admin
GET /api/bill/requests admin
GET /api/bill/requests/export admin
POST /api/bill/account root
PUT /api/bill/account/{id} root
DELETE /api/bill/account/{id} root
POST /api/bill/account/{id}/fetch admin
POST /api/bill/account/{id}/import admin
POST /api/bill/import/{id}/stop admin
PUT /api/bill/mapping admin
DELETE /api/bill/mapping admin
GET /api/import/ root
POST /api/import/ root
GET /api/import/{id} root
PUT /api/import/{id}/part root
POST /api/import/{id}/plan root
POST /api/import/{id}/start root
POST /api/import/{id}/pause root
POST /api/import/{id}/stop root
PUT /api/channel/batch admin
DELETE /api/user/sessions user
DELETE /api/user/sessions/{session} user
DELETE /api/user/{id}/bindings/{binding} admin
GET /api/channel/runs admin
GET /api/as_code/ admin
GET /api/as_code/export admin
POST /api/as_code/plan admin
POST /api/as_code/apply admin
POST /api/as_code/release root
GET /api/audit_log/ admin
GET /api/audit_log/export admin
GET /api/log/export admin
GET /api/log/self/export user
GET /api/log/self/sessions user
GET /api/log/self/sessions/export user
GET /api/log/self/sessions/{session} user
GET /api/log/sessions admin
GET /api/log/sessions/export admin
GET /api/log/sessions/{session} admin
GET /api/log/self/tail user
GET /api/log/tail admin
GET /api/user/sessions user
GET /api/user/self/statement user
GET /api/user/topup/history user
GET /api/user/topup/info user
GET /api/user/topup/orders/{trade_no} user
POST /api/channel/runs/stop admin
POST /api/user/topup/orders/{trade_no}/cancel user
`;

/** Calls of the first list that are no calls of the console: strangers make them, in a shape of their own (`tests/http/wallet.test.ts`). */
export const callsOfStrangers: readonly string[] = ['GET /api/user/epay/notify'];

/** Endless responses: callers with access are tested in `tests/http/log-tail.test.ts`. */
export const endlessCalls: readonly string[] = ['GET /api/log/tail', 'GET /api/log/self/tail'];

export const consoleCalls: readonly ConsoleCall[] = `${specified}\n${added}`
  .split('\n')
  .filter((line) => line !== '')
  .map(toCall);

function toCall(line: string): ConsoleCall {
  const [, method, path, access] = /^(GET|POST|PUT|DELETE) (\S+) (public|optional|user|admin|root)$/.exec(line) ?? [];
  if (!isMethod(method) || path === undefined || !isAccess(access)) throw new Error(`This row is none: ${line}`);
  return { method, path, access };
}

function isMethod(text: string | undefined): text is ConsoleCall['method'] {
  return text === 'GET' || text === 'POST' || text === 'PUT' || text === 'DELETE';
}

function isAccess(text: string | undefined): text is Access {
  return text === 'public' || text === 'optional' || text === 'user' || text === 'admin' || text === 'root';
}

export function nameOf({ method, path }: ConsoleCall): string {
  return `${method} ${path}`;
}
