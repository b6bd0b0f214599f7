// SCIM 2.0 for the members of an organisation (RFC 7643, RFC 7644): `/scim/v2`. Its token reaches one organisation, and people of its domains only.
import { UserStatus } from '#shared/user.ts';
import { isActiveOwner } from '#server/accounts/owners.ts';
import { actingAs } from '#server/audit-log/actor.ts';
import type { AppContext } from '#server/context.ts';
import type { OrganisationRecord, TeamRecord } from '#server/db/records/organisation.ts';
import { removeTeam } from '#server/features/organisations/edit-organisation.ts';
import type { RequestFacts } from '#server/http/call.ts';
import type { Connection } from '#server/http/connection.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { readJson } from '#server/http/parse-body.ts';
import { enforceLimit, enforceSourceLimit } from '#server/http/rate-limit.ts';
import { dropBody } from '#server/http/read-body.ts';
import { addressOfRequest } from '#server/settings/address-of-request.ts';
import { createGroup, findGroups, patchGroup, readGroup, replaceGroup } from './edit-groups.ts';
import { createPerson, patchPerson, removePerson, replacePerson } from './edit-people.ts';
import { findPeople, peopleOfTeam, readPerson, type ScimPerson } from './people.ts';
import { readFilter } from './read-filter.ts';
import { isObject, memberOf, readPatch } from './read-patch.ts';
import { configOf, errorSchema, listOf, mostListed, presentGroup, presentPerson, resourceTypesOf, schemasOf } from './resources.ts';
import { refusalOf, refuse } from './scim-error.ts';

const mostBytes = 1024 * 1024;
/** Requests of one organisation. */
const requestLimit = { count: 1500, windowSeconds: 60 };
const wrongTokenLimit = { count: 30, windowSeconds: 1200 };
const hasBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

interface ScimCall {
  context: AppContext;
  organisation: OrganisationRecord;
  /** Address of `/scim/v2`. */
  base: string;
  id: string;
  query: URLSearchParams;
  body: Readonly<Record<string, unknown>>;
}

interface Answer {
  status?: number;
  /** Undefined: no content. */
  resource?: Record<string, unknown>;
}

type Handle = (call: ScimCall) => Promise<Answer> | Answer;

export function mountScim(host: RouteHost): void {
  const at = (method: (typeof methods)[number], path: string, handle: Handle) => serve(host, method, `/scim/v2${path}`, handle);
  mountDiscovery(at);
  at('GET', '/Users', listPeople);
  at('POST', '/Users/.search', (call) => search(call, listPeople));
  at('POST', '/Users', async (call) => created(await presentFor(call, await createPerson(call.context, call.organisation, call.body))));
  at('GET', '/Users/:user', async (call) => answer(await presentFor(call, await readPerson(call.context, call.organisation, call.id))));
  at('PUT', '/Users/:user', async (call) =>
    answer(await presentFor(call, await replacePerson(call.context, call.organisation, call.id, call.body))),
  );
  at('PATCH', '/Users/:user', async (call) =>
    answer(await presentFor(call, await patchPerson(call.context, call.organisation, call.id, readPatch(call.body)))),
  );
  at('DELETE', '/Users/:user', async (call) => {
    await removePerson(call.context, call.organisation, call.id);
    return { status: 204 };
  });
  mountGroups(at);
  for (const method of methods) {
    serve(
      host,
      method,
      '/scim/v2/:rest+',
      ({ id }) => (isEndpoint.test(id) ? refuse(405, 'The method is not allowed') : refuse(404, 'This endpoint does not exist')),
      false,
    );
  }
}

const isEndpoint = /^(?:ServiceProviderConfig|ResourceTypes|Schemas|Users|Groups)(?:\/|$)/i;

type At = (method: (typeof methods)[number], path: string, handle: Handle) => void;

function mountDiscovery(at: At): void {
  const one = (resources: readonly Record<string, unknown>[], id: string) =>
    answer(resources.find((resource) => resource['id'] === id) ?? refuse(404, `There is no ${id.slice(0, 100)}`));
  at('GET', '/ServiceProviderConfig', ({ base }) => answer(configOf(base)));
  at('GET', '/ResourceTypes', ({ base }) => answer(listOf(resourceTypesOf(base))));
  at('GET', '/ResourceTypes/:name', ({ base, id }) => one(resourceTypesOf(base), id));
  at('GET', '/Schemas', ({ base }) => answer(listOf(schemasOf(base))));
  at('GET', '/Schemas/:name', ({ base, id }) => one(schemasOf(base), id));
}

function mountGroups(at: At): void {
  at('GET', '/Groups', listGroups);
  at('POST', '/Groups/.search', (call) => search(call, listGroups));
  at('POST', '/Groups', async (call) => created(await presentTeamFor(call, await createGroup(call.context, call.organisation, call.body))));
  at('GET', '/Groups/:group', async (call) =>
    answer(await presentTeamFor(call, await readGroup(call.context, call.organisation, call.id))),
  );
  at('PUT', '/Groups/:group', async (call) =>
    answer(await presentTeamFor(call, await replaceGroup(call.context, call.organisation, call.id, call.body))),
  );
  at('PATCH', '/Groups/:group', async (call) =>
    answer(await presentTeamFor(call, await patchGroup(call.context, call.organisation, call.id, readPatch(call.body)))),
  );
  at('DELETE', '/Groups/:group', async ({ context, organisation, id }) => {
    const team = await readGroup(context, organisation, id);
    await removeTeam(context, { id: team.id, organisation_id: organisation.id });
    return { status: 204 };
  });
}

async function listPeople(call: ScimCall): Promise<Answer> {
  const people = await findPeople(call.context, call.organisation, readFilter(call.query.get('filter')));
  return page(call, people, (person) => presentFor(call, person));
}

async function listGroups(call: ScimCall): Promise<Answer> {
  const teams = await findGroups(call.context, call.organisation, readFilter(call.query.get('filter')));
  return page(call, teams, (team) => presentTeamFor(call, team));
}

/** A list whose parameters are in the body (RFC 7644, 3.4.3). */
function search(call: ScimCall, list: Handle): Promise<Answer> | Answer {
  const query = new URLSearchParams();
  for (const name of ['filter', 'startIndex', 'count', 'attributes', 'excludedAttributes']) {
    const value = memberOf(call.body, name);
    if (Array.isArray(value)) query.set(name, value.join(','));
    else if (typeof value === 'string' || typeof value === 'number') query.set(name, String(value));
  }
  return list({ ...call, query });
}

function answer(resource: Record<string, unknown>): Answer {
  return { resource };
}

function created(resource: Record<string, unknown>): Answer {
  return { status: 201, resource };
}

async function presentFor(call: ScimCall, person: ScimPerson): Promise<Record<string, unknown>> {
  const { team_id: teamId } = person.member;
  const team = teamId === 0 ? null : await call.context.db.collection('teams').first({ id: teamId, organisation_id: call.organisation.id });
  return shown(call, presentPerson(person, team ?? undefined, call.base));
}

async function presentTeamFor(call: ScimCall, team: TeamRecord): Promise<Record<string, unknown>> {
  const current = await readGroup(call.context, call.organisation, String(team.id));
  const people = isShown(call, 'members') ? await peopleOfTeam(call.context, call.organisation, current) : undefined;
  return shown(call, presentGroup(current, people, call.base));
}

/** Resources of the page that is requested (RFC 7644, 3.4.2.4). */
async function page<Item>(
  { query }: ScimCall,
  items: readonly Item[],
  present: (item: Item) => Promise<Record<string, unknown>>,
): Promise<Answer> {
  const start = Math.max(1, integerIn(query.get('startIndex'), 1));
  const count = Math.min(mostListed, Math.max(0, integerIn(query.get('count'), 100)));
  const resources: Record<string, unknown>[] = [];
  for (const item of items.slice(start - 1, start - 1 + count)) resources.push(await present(item));
  return answer(listOf(resources, items.length, start));
}

function integerIn(text: string | null, otherwise: number): number {
  return text !== null && /^-?\d{1,9}$/.test(text) ? Number(text) : otherwise;
}

const alwaysShown: ReadonlySet<string> = new Set(['schemas', 'id', 'meta']);

interface RequestedNames {
  included: ReadonlySet<string> | undefined;
  excluded: ReadonlySet<string> | undefined;
}

/** Read once for all resources of a response: a body may list half a million names. */
const requestedNames = new WeakMap<URLSearchParams, RequestedNames>();

/** Attributes that the request wants (RFC 7644, 3.9), by their first name. */
function isShown({ query }: ScimCall, name: string): boolean {
  const names = requestedNames.get(query) ?? { included: namesIn(query, 'attributes'), excluded: namesIn(query, 'excludedAttributes') };
  requestedNames.set(query, names);
  const { included, excluded } = names;
  if (included !== undefined) return included.has(name.toLowerCase());
  return excluded?.has(name.toLowerCase()) !== true;
}

function namesIn(query: URLSearchParams, parameter: string): ReadonlySet<string> | undefined {
  const text = query.get(parameter);
  if (text === null) return undefined;
  const names = text.split(',').map(
    (one) =>
      one
        .trim()
        .replace(/^urn:.*:/i, '')
        .split('.', 1)[0] ?? '',
  );
  return new Set(names.map((one) => one.toLowerCase()));
}

function shown(call: ScimCall, resource: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(resource).filter(([name]) => alwaysShown.has(name) || isShown(call, name)));
}

function serve(host: RouteHost, method: (typeof methods)[number], path: string, handle: Handle, takesBody = hasBody.has(method)): void {
  const { context } = host;
  host.add(method, path, async (request, params, connection) => {
    const facts = host.facts(request, connection);
    try {
      const organisation = await organisationOf(context, facts);
      const body = takesBody ? await readBody(host, organisation, request, connection) : {};
      const base = `${addressOfRequest(context, facts)}/scim/v2`;
      const id = Object.values(params)[0] ?? '';
      const actor = {
        user: null,
        by: 'job',
        job: 'scim',
        ip: facts.ip,
        userAgent: facts.headers.get('user-agent') ?? '',
        requestId: facts.requestId,
      } as const;
      const { status = 200, resource } = await actingAs(actor, async () =>
        handle({ context, organisation, base, id, query: facts.url.searchParams, body }),
      );
      return respond(facts, status, resource);
    } catch (failure) {
      if (connection !== null) dropBody(connection);
      const { status, detail, scimType, retryAfter } = refusalOf(host, facts, failure);
      const error = { schemas: [errorSchema], ...(scimType === undefined ? {} : { scimType }), detail, status: String(status) };
      return respond(facts, status, error, retryAfter);
    }
  });
}

function respond(
  { requestId }: RequestFacts,
  status: number,
  resource: Record<string, unknown> | undefined,
  retryAfter?: number,
): Response {
  const meta = resource?.['meta'];
  const location = status === 201 && isObject(meta) ? String(meta['location']) : undefined;
  return new Response(resource === undefined ? null : JSON.stringify(resource), {
    status,
    headers: {
      ...(resource === undefined ? {} : { 'content-type': 'application/scim+json; charset=utf-8' }),
      'cache-control': 'no-store',
      'x-oneapi-request-id': requestId,
      ...(location === undefined ? {} : { location }),
      ...(status === 401 ? { 'www-authenticate': 'Bearer realm="scim"' } : {}),
      ...(retryAfter === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfter)) }),
    },
  });
}

/** The organisation whose token the request carries. @throws {ScimError} 401, 403 @throws {AppError} `rate_limited` */
async function organisationOf(context: AppContext, facts: RequestFacts): Promise<OrganisationRecord> {
  const token = /^Bearer\s+(\S{1,200})$/i.exec(facts.headers.get('authorization') ?? '')?.[1] ?? '';
  const { db, secrets } = context;
  const organisation = token === '' ? null : await db.collection('organisations').first({ scim_hash: secrets.hash(`scim:${token}`) });
  if (organisation === null || organisation.DeletedAt !== null) {
    await enforceSourceLimit(context, facts, { key: 'scim-from', ...wrongTokenLimit });
    return refuse(401, 'The token is missing or invalid');
  }
  await enforceLimit(context, { key: `scim:${organisation.id}`, ...requestLimit });
  // The person who created it knows it.
  const { scim_by: creator } = organisation;
  if (creator !== undefined && !(await isActiveOwner(db, organisation.id, creator))) {
    return refuse(401, 'The token has ended: its creator is no active owner of the organisation any more');
  }
  const account = await db.collection('users').get(organisation.id);
  if (account?.status !== UserStatus.active) return refuse(403, 'The organisation is disabled');
  return organisation;
}

async function readBody(
  { context }: RouteHost,
  { id }: OrganisationRecord,
  request: Request,
  connection: Connection | null,
): Promise<Readonly<Record<string, unknown>>> {
  const body = await readJson({ request, connection, limit: mostBytes }, context.bodies, `user:${id}`);
  return isObject(body) ? body : refuse(400, 'The body must be a JSON object', 'invalidSyntax');
}
