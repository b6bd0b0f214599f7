// Authenticates callers that submit and poll tasks.
import type { Connection } from '#server/http/connection.ts';
import type { Admission } from '#server/call/admission/admission.ts';
import type { RelayServices } from '#server/call/services.ts';

/**
 * Admits a caller who submits a task.
 * @throws {AppError} as the token gate
 */
export async function admitCaller(services: RelayServices, request: Request, connection: Connection | null): Promise<Admission> {
  const admission = await services.gate.admit(request);
  services.gate.checkUse(admission, services.addressOf(request, connection));
  return admission;
}

/**
 * Identifies a caller who polls a task, also with an exhausted or expired key, because the task is paid for.
 * @throws {AppError} as the token gate
 */
export async function identifyCaller(services: RelayServices, request: Request, connection: Connection | null): Promise<Admission> {
  const admission = await services.gate.identify(request);
  services.gate.checkUse(admission, services.addressOf(request, connection));
  return admission;
}
