import { AppError } from '#shared/errors.ts';
import { oauthApi } from '#shared/oauth.ts';
import { bindIdentity, findByIdentity, unbindIdentity } from '#server/accounts/identities.ts';
import { presentUser } from '#server/accounts/present-user.ts';
import { respond, signedIn } from '#server/http/call.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import { answerProvider, enter } from './answer-provider.ts';
import { beginAttempt, endAttempt, limitSignIns, refuseForeignPage } from './attempt.ts';
import { github } from './providers/github.ts';
import { linuxdo } from './providers/linuxdo.ts';
import { oidc } from './providers/oidc.ts';
import { identifyByTelegram } from './providers/telegram.ts';
import { identifyByWeChat } from './providers/wechat.ts';
import { checkMayEnter, findOrRegister } from './sign-in.ts';
import { startSignIn } from './start-sign-in.ts';

export function mountOAuth(host: RouteHost): void {
  mount(host, oauthApi.state, async (call) => {
    const { state, cookie } = await beginAttempt(call.context, call, call.query.aff);
    call.cookies.push(cookie);
    return state;
  });
  mount(host, oauthApi.start, async (call) => {
    const { url, cookie } = await startSignIn(call.context, call, call.body);
    call.cookies.push(cookie);
    return { url };
  });
  mount(host, oauthApi.github, (call) => answerProvider(call, github));
  mount(host, oauthApi.oidc, (call) => answerProvider(call, oidc));
  mount(host, oauthApi.linuxdo, (call) => answerProvider(call, linuxdo));
  mountWeChat(host);
  mountTelegram(host);
  mount(host, oauthApi.unbind, async (call) =>
    presentUser(await unbindIdentity(call.context, { userId: signedIn(call).user.id, binding: call.params.binding, isOwn: true })),
  );
}

function mountWeChat(host: RouteHost): void {
  mount(host, oauthApi.wechat, async (call) => {
    const { context, facts, query } = call;
    refuseForeignPage(facts);
    await limitSignIns(context, facts);
    const person = await identifyByWeChat(context, query.code);
    return enter(call, await findOrRegister(context, { person, inviteCode: query.aff ?? '', facts }));
  });
  mount(host, oauthApi.bindWeChat, async (call) => {
    await limitSignIns(call.context, call.facts);
    await bindIdentity(call.context, signedIn(call).user.id, await identifyByWeChat(call.context, call.query.code));
    return undefined;
  });
}

function mountTelegram(host: RouteHost): void {
  mount(host, oauthApi.telegram, async (call) => {
    const { context, facts, query } = call;
    refuseForeignPage(facts);
    if (query.state === undefined) await limitSignIns(context, facts);
    else await endAttempt(context, call, { state: query.state, provider: 'telegram' });
    const user = await findByIdentity(context, await identifyByTelegram(context, query));
    // Telegram opens accounts that are bound to it; it makes none.
    if (user === null || user.DeletedAt !== null) throw new AppError('telegram_unbound');
    return enter(call, checkMayEnter(user));
  });
  mount(host, oauthApi.bindTelegram, async (call) => {
    const { context, facts, query } = call;
    const { id } = signedIn(call).user;
    if (query.state === undefined) await limitSignIns(context, facts);
    else if ((await endAttempt(context, call, { state: query.state, provider: 'telegram' })).user_id !== id)
      throw new AppError('state_mismatch');
    await bindIdentity(context, id, await identifyByTelegram(context, query));
    // Telegram's widget opens this address in the browser; the console requests it with `fetch`.
    return facts.headers.has('new-api-user') ? undefined : respond(undefined, { redirect: `${context.env.BASE_PATH}/setting` });
  });
}
