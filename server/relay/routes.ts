// The relay's URL map: model lists, and every endpoint of `endpoints.ts`.
import { AppError } from '#shared/errors.ts';
import { pricedName } from '#shared/pricing-rules.ts';
import { defaultClientDialect } from '#server/dialects/registry.ts';
import type { Connection } from '#server/http/connection.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { toAppError } from '#server/http/failure.ts';
import { languageOf } from '#server/http/language.ts';
import { newRequestId } from '#server/http/request-id.ts';
import { countTokens } from '#server/relay/count-tokens.ts';
import type { Relay } from '#server/relay/create-relay.ts';
import { relayEndpoints } from '#server/relay/endpoints.ts';
import { modelObject } from '#server/upstream/model-object.ts';
import { relay as relayCall } from '#server/relay/relay.ts';
import { errorResponse, ownError, requestIdHeaders } from '#server/relay/relay-failure.ts';
import type { Admission } from '#server/relay/admission/admission.ts';

export function mountRelay(host: RouteHost, { services }: Relay): void {
  for (const endpoint of relayEndpoints) {
    const answerCall = endpoint.capability === 'count_tokens' ? countTokens : relayCall;
    host.add('POST', endpoint.path, (request, _params, connection) => answerCall(services, endpoint, request, connection));
  }

  /** Names that the key may use, sorted: its own list, or whatever enabled channels serve to its group. */
  function modelsOf(admission: Admission): readonly string[] {
    if (admission.models !== null) return [...admission.models].toSorted();
    return services.channels.enabledModels([admission.group]);
  }

  async function answer(
    { request, connection }: { request: Request; connection: Connection | null },
    make: (models: readonly string[]) => object,
  ): Promise<Response> {
    const requestId = newRequestId(services.context);
    const headers = { 'cache-control': 'no-store', ...requestIdHeaders(defaultClientDialect, requestId) };
    try {
      const admission = await services.gate.admit(request.headers);
      services.gate.checkUse(admission, services.addressOf(request, connection));
      return Response.json(make(modelsOf(admission)), { headers });
    } catch (failure) {
      const error = toAppError(failure, services.context, requestId);
      const told = ownError(error, languageOf(request.headers.get('accept-language')), requestId);
      return errorResponse(defaultClientDialect, told, requestId, error.retryAfter);
    }
  }

  host.add('GET', '/v1/models', (request, _params, connection) =>
    answer({ request, connection }, (models) => ({ object: 'list', success: true, data: models.map(modelObject) })),
  );
  // Names may have slashes in them, and clients send those as they are or escaped.
  host.add('GET', '/v1/models/:model+', (request, { model = '' }, connection) =>
    answer({ request, connection }, (models) => {
      if (!models.includes(model) && !models.includes(pricedName(model)))
        throw new AppError('model_not_found', { model }, { field: 'model' });
      return modelObject(model);
    }),
  );
}
