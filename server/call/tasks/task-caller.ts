// Caller that submits and polls tasks.
import type { Connection } from '#server/http/connection.ts';
import type { Admission } from '#server/call/admission/admission.ts';
import type { RelayServices } from '#server/call/services.ts';

/** @throws {AppError} as the token gate */
export async function admitCaller(services: RelayServices, request: Request, connection: Connection | null): Promise<Admission> {
  const admission = await services.gate.admit(request);
  services.gate.checkUse(admission, services.addressOf(request, connection));
  return admission;
}

/** What was paid for may be looked at with a key that is used up. @throws {AppError} as the token gate */
export async function identifyCaller(services: RelayServices, request: Request, connection: Connection | null): Promise<Admission> {
  const admission = await services.gate.identify(request);
  services.gate.checkUse(admission, services.addressOf(request, connection));
  return admission;
}
