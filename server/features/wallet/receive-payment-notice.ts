// Notices of payment providers: by GET or POST, without a session. They are proved before anything is believed, and answered after
// the money is there.
import { toAppError } from '#server/http/failure.ts';
import type { Connection } from '#server/http/connection.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { textOf } from '#server/http/parse-body.ts';
import { dropBody, readBody } from '#server/http/read-body.ts';
import { creditOrder } from './credit-order.ts';
import type { PaymentProvider } from './payments/provider.ts';

const largestBody = 64 * 1024;

export function mountPaymentNotices(host: RouteHost, provider: PaymentProvider): void {
  for (const method of ['GET', 'POST']) {
    host.add(method, provider.notice.path, (request, _params, connection) => receivePaymentNotice(host, provider, request, connection));
  }
}

async function receivePaymentNotice(
  host: RouteHost,
  provider: PaymentProvider,
  request: Request,
  connection: Connection | null,
): Promise<Response> {
  const { context } = host;
  const facts = host.facts(request, connection);
  const { requestId } = facts;
  const say = (isAccepted: boolean, status = 200) =>
    new Response(isAccepted ? provider.notice.answers.accepted : provider.notice.answers.refused, {
      status,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', 'x-oneapi-request-id': requestId },
    });
  try {
    if (!provider.isConfigured(context)) return say(false);
    const body = request.method === 'POST' ? await bodyOf(host, request, connection, facts.ip) : '';
    const notice = { method: request.method, query: facts.url.searchParams, body, headers: facts.headers };
    const reading = provider.notice.read(context, notice);
    if (reading.kind === 'forged') {
      // Only who cannot sign is counted: a provider may send as many as it likes.
      await host.limit(facts, null);
      context.log.warn({ requestId, provider: provider.id, ip: facts.ip }, 'a notice of a payment does not come from the provider');
      return say(false);
    }
    return say(reading.kind === 'other' || (await creditOrder(context, provider, reading)));
  } catch (failure) {
    if (connection !== null) dropBody(connection);
    return say(false, toAppError(failure, context, requestId).status);
  }
}

async function bodyOf(host: RouteHost, request: Request, connection: Connection | null, ip: string): Promise<string> {
  const { bodies } = host.context;
  const hold = bodies.open(`address:${ip}`);
  try {
    return textOf(await readBody({ request, connection, limit: largestBody, hold, watch: bodies.watch }));
  } finally {
    hold.shrinkTo(0);
  }
}
