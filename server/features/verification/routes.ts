import { AppError } from '#shared/errors.ts';
import { verificationApi } from '#shared/verification.ts';
import { checkHuman } from '#server/accounts/human-check.ts';
import { type RequestFacts, signedIn } from '#server/http/call.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import { isUnwanted } from '#server/http/same-origin.ts';
import { requestReset, resetPassword } from './reset-password.ts';
import { bindOwnEmail, sendCode } from './send-code.ts';

export function mountVerification(host: RouteHost): void {
  mount(host, verificationApi.sendCode, async (call) => {
    refuseForeignPage(call.facts);
    await checkHuman(call);
    await sendCode(call.context, call, call.query.email);
    return undefined;
  });
  mount(host, verificationApi.bindEmail, async (call) => {
    await bindOwnEmail(call.context, { caller: signedIn(call), facts: call.facts }, call.query);
    return undefined;
  });
  mount(host, verificationApi.requestReset, async (call) => {
    refuseForeignPage(call.facts);
    await checkHuman(call);
    await requestReset(call.context, call.facts, call.query.email);
    return undefined;
  });
  mount(host, verificationApi.reset, (call) => resetPassword(call.context, call.facts, call.body));
}

/** Mails are requested by GET: a foreign page could make each of its visitors send some. Clients other than browsers send no such header. */
function refuseForeignPage({ headers }: RequestFacts): void {
  if (isUnwanted(headers)) throw new AppError('foreign_mail_refused');
}
