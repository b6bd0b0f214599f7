// Creates a client secret for callers with access to the model: `POST /v1/realtime/client_secrets`, and the former
// `/v1/realtime/sessions` and `/v1/realtime/transcription_sessions`.
import { inServingGroup } from '#server/call/admission/auto-group.ts';
import { toAppError } from '#server/http/failure.ts';
import type { Connection } from '#server/http/connection.ts';
import { callerLanguage } from '#server/http/language.ts';
import { newRequestId } from '#server/http/request-id.ts';
import { readBody } from '#server/http/read-body.ts';
import { parseBody } from '#server/http/parse-body.ts';
import { findModel } from '#server/call/admission/find-model.ts';
import { noteRefusal } from '#server/call/admission/note-refusal.ts';
import { credentialOf } from '#server/call/admission/credential.ts';
import { realtimeEndpoint } from '#server/call/endpoints.ts';
import { errorResponse, gatewayError, requestIdHeaders } from '#server/call/relay-failure.ts';
import type { RelayServices } from '#server/call/services.ts';
import { presentSecret, readSecretRequest, sealSecret, type SecretRequest } from './client-secret.ts';

/** Maximum bytes of a request. */
const limit = 64 * 1024;

export async function giveSecret(
  services: RelayServices,
  request: Request,
  { connection, form }: { connection: Connection | null; form: SecretRequest },
): Promise<Response> {
  const { context, gate, addressOf } = services;
  const { surface } = realtimeEndpoint;
  const requestId = newRequestId(context);
  try {
    const caller = await gate.admit(request);
    gate.checkUse(caller, addressOf(request, connection));
    const owner = `user:${caller.user.id}`;
    const hold = context.bodies.open(owner);
    try {
      const raw = await readBody({ request, connection, limit, hold, watch: context.bodies.watch });
      const { value } = await parseBody(raw, context.bodies, owner, () => {});
      const requested = readSecretRequest(value, { form, now: context.now() });
      const { model } = requested;
      const admission = inServingGroup(services, caller, { model, endpoint: realtimeEndpoint });
      gate.checkModel(admission, model);
      // Same check as for a session: private models of others do not exist for this caller.
      await findModel(services, admission, { endpoint: realtimeEndpoint, model });
      context.quotes.priceOf(model, admission.group, admission.user);
      const secret = sealSecret(context.secrets, { ...requested, key: credentialOf(request) });
      return Response.json(presentSecret(secret, requested, form), {
        headers: { 'cache-control': 'no-store', ...requestIdHeaders(surface, requestId) },
      });
    } finally {
      hold.shrinkTo(0);
    }
  } catch (failure) {
    const error = toAppError(failure, context, requestId);
    noteRefusal(services, error, { request, connection, requestId, progress: { requestId, model: '' } });
    return errorResponse(surface, gatewayError(error, callerLanguage(request.headers), requestId), requestId, error.retryAfter);
  }
}
