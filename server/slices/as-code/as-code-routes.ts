import { asCodeApi, type DocumentInput } from '#shared/as-code.ts';
import { mayActOn } from '#shared/roles.ts';
import { type RequestFacts, signedIn } from '#server/http/call.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import { applyDocument, type ApplyRequest, planDocument } from './apply-document.ts';
import { documentSchema } from './document.ts';
import { exportDocument } from './export-document.ts';
import { readInThread } from './read-in-thread.ts';
import { listManagingFiles, releaseFiles } from './release.ts';

export function mountAsCode(host: RouteHost): void {
  mount(host, asCodeApi.plan, (call) => planDocument(call.context, requestOf(call.body, signedIn(call).user, call.facts)));
  mount(host, asCodeApi.apply, (call) =>
    applyDocument(call.context, requestOf(call.body, signedIn(call).user, call.facts), { digest: call.body.digest }),
  );
  mount(host, asCodeApi.export, (call) => {
    const { user } = signedIn(call);
    const tokensOf = call.query.tokens?.split(',').map((name) => name.trim()) ?? [];
    return exportDocument(call.context, { tokensOf, maySee: (userId, role) => userId === user.id || mayActOn(user.role, role) });
  });
  mountSchema(host);
  mount(host, asCodeApi.files, ({ context }) => listManagingFiles(context));
  mount(host, asCodeApi.release, (call) => releaseFiles(call.context, { by: call.body.by, actorId: signedIn(call).user.id }));
}

/** For editors, which read the schema itself and have no session. */
function mountSchema(host: RouteHost): void {
  let text: string | undefined;
  host.add('GET', '/api/as_code/schema.json', (request, _params, connection) => {
    text ??= JSON.stringify(documentSchema());
    const { requestId } = host.facts(request, connection);
    return new Response(text, {
      headers: { 'content-type': 'application/schema+json', 'cache-control': 'no-cache', 'x-oneapi-request-id': requestId },
    });
  });
}

/** The environment and the files of the server are its operator's: references have the values that come with the call. */
function requestOf(
  { files, name, secrets = {}, prune = false }: DocumentInput,
  actor: UserRecord,
  { language }: RequestFacts,
): ApplyRequest {
  return { actor, language, files, name, prunes: prune, read: (given) => readInThread(given, secrets) };
}
