// Calls on behalf of an organisation: every call of the console, by members of every role and by strangers, and with the ids of records of others.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mayInOrganisation, type OrganisationRole, organisationRoles } from '#shared/organisation-roles.ts';
import type { OrganisationMemberRecord } from '#server/db/records/organisation.ts';
import { type ConsoleCall, consoleCalls, endlessCalls, nameOf } from '#tests/conformance/console-calls.ts';
import { type MountedCall, mountedCalls, type Property } from '#tests/conformance/mounted-calls.ts';
import { buildLog } from '#tests/support/build-log.ts';
import { createToken } from '#tests/support/build-token.ts';
import { engines } from '#tests/support/engines.ts';
import type { CallOptions, TestClient } from '#tests/support/http-client.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

/** Marks whatever an attacker must not read. */
const mark = 'harbourseal';
const refusals = ['organisation_unknown', 'organisation_not_here', 'organisation_right_missing', 'organisation_disabled'];
/** Calls without a caller, to whom the header means nothing. */
const anonymous: ReadonlySet<string> = new Set(['public', 'optional']);

describe.each(engines)('organisations on $kind', (engine) => {
  let app: TestApp;
  let mounted: Map<string, MountedCall>;
  beforeAll(async () => {
    app = await createTestApp(engine);
    await app.setup();
    mounted = await mountedCalls(app);
  });
  afterAll(() => app.close());

  async function found(): Promise<{ id: number; owner: TestClient }> {
    const owner = await app.as(await app.createUser());
    const founded = await owner.post('/api/organisation/', { name: 'Harbour Labs', ref: `reference-${app.context.randomText(8)}` });
    return { id: founded.data.id, owner };
  }

  async function join(organisationId: number, role: OrganisationRole, fields: Partial<OrganisationMemberRecord> = {}): Promise<TestClient> {
    const { db } = app.context;
    const user = await app.createUser();
    const record = { team_id: 0, source: 'invite', invited_by: 1, joined_at: 1, revision: 1 } as const;
    const id = await db.nextId('organisation_members');
    await db
      .collection('organisation_members')
      .insert({ ...record, id, organisation_id: organisationId, user_id: user.id, role, ...fields });
    return app.as(user);
  }

  const behalf = (id: number | string): CallOptions => ({ headers: { 'openai-organization': `org-${id}`, 'accept-language': 'en' } });

  function callsWithHeader(): [ConsoleCall, MountedCall][] {
    return consoleCalls.flatMap((call) => {
      const known = mounted.get(nameOf(call));
      return known === undefined || anonymous.has(call.access) ? [] : [[call, known]];
    });
  }

  it.each([...organisationRoles, 'suspended', 'stranger', 'administrator of the site'] as const)('%s', async (kind) => {
    const { id } = await found();
    const role = organisationRoles.find((one) => one === kind);
    const client =
      role !== undefined
        ? await join(id, role)
        : kind === 'suspended'
          ? await join(id, 'owner', { suspended: true })
          : await app.as(await app.createUser({ role: kind === 'stranger' ? 1 : 100 }));
    for (const [call, { body, right }] of callsWithHeader()) {
      const expected =
        role === undefined
          ? 'organisation_unknown'
          : right === undefined
            ? 'organisation_not_here'
            : mayInOrganisation(role, right)
              ? undefined
              : 'organisation_right_missing';
      if (expected === undefined && endlessCalls.includes(nameOf(call))) continue;
      const path = call.path.replaceAll(/\{\w+\}/g, '999999');
      const answer = await client.call(call.method, path, body === null ? undefined : {}, behalf(id));
      const place = `${nameOf(call)} by ${kind}`;
      expect(answer.status, place).toBeLessThan(500);
      if (expected !== undefined) expect(answer, place).toMatchObject({ success: false, code: expected });
      else expect(refusals, place).not.toContain(answer.code);
    }
  });

  it('values of the header that name none', async () => {
    const { owner } = await found();
    for (const value of ['5', 'org-', 'org-x5', 'org--1', 'org-1e3', 'org-0x1', 'org-9999999999999999', `org-${owner.userId}`]) {
      const answer = await owner.get('/api/token/', { headers: { 'openai-organization': value } });
      expect(answer, value).toMatchObject({ success: false, code: 'organisation_unknown' });
    }
  });

  interface Victim {
    organisation: number;
    person: number;
    /** Of tokens, logs, a team, an invitation, the person. */
    ids: number[];
    keys: string[];
  }

  async function createVictim(): Promise<Victim> {
    const { id, owner } = await found();
    const { db } = app.context;
    const person = await join(id, 'developer');
    const userId = person.userId ?? 0;
    const options = behalf(id);
    const own = (await person.post('/api/token/', { name: `${mark} own`, unlimited_quota: true }, options)).data[0];
    const service = (await owner.post('/api/token/', { name: `${mark} bot`, is_service: true }, options)).data[0];
    const team = (await owner.post(`/api/organisation/${id}/teams`, { name: 'Search' })).data;
    const { invites } = (await owner.post(`/api/organisation/${id}/invites`, { emails: [], role: 'reader' })).data;
    const budget = { id: mark, amount: 5_000_000, period: 'month', starts: 'calendar', at_end: 'stop' };
    expect(await owner.put(`/api/organisation/${id}/members/${userId}`, { budgets: [budget] })).toMatchObject({ success: true });
    const personal = await createToken(app.context, userId, { name: `${mark} personal`, quota: 1000 });
    const log = await db.nextId('logs');
    await db
      .collection('logs')
      .insert(buildLog({ id: log, user_id: id, token_id: own.id, token_name: mark, content: mark, username: mark }));
    const ids = [own.id, service.id, personal.token.id, team.id, invites[0].id, log, userId];
    return { organisation: id, person: userId, ids, keys: [own.key, service.key, personal.key.slice(3)] };
  }

  /** What belongs to the organisation and the person; without what `except` has in it. */
  async function belongings({ organisation: id, person }: Victim, except: number): Promise<unknown> {
    const { db } = app.context;
    const of = { organisation_id: id };
    const sort = { sort: [['id', 1]] } as const;
    const tokens = await db.collection('tokens').find({ or: [{ user_id: id }, { user_id: person }] }, sort);
    return {
      organisation: await db.collection('organisations').get(id),
      account: await db.collection('users').get(id),
      user: await db.collection('users').get(person),
      members: await db.collection('organisation_members').find(of, sort),
      teams: await db.collection('teams').find(of, sort),
      invites: await db.collection('organisation_invites').find(of, sort),
      tokens: tokens.filter((token) => token.member_id !== except),
      logs: await db.collection('logs').find({ user_id: id, type: 2 }, sort),
    };
  }

  const attackers = ['owner of another organisation', 'developer of the same', 'reader of the same', 'billing of the same'] as const;

  it.each(attackers)('%s changes nothing of others', { timeout: 120_000 }, async (kind) => {
    const victim = await createVictim();
    const { organisation: id, ids, keys } = victim;
    const role = organisationRoles.find((one) => kind.startsWith(`${one} of the same`));
    const own = await found();
    const attacker = role === undefined ? own.owner : await join(id, role);
    const readsNothing = role === undefined || role === 'developer';
    const before = await belongings(victim, attacker.userId ?? 0);
    for (const [call, { body, right }] of callsWithHeader()) {
      const name = nameOf(call);
      const isAbout = call.path.startsWith('/api/organisation/{id}');
      if (call.access !== 'user' || (right === undefined && !isAbout) || endlessCalls.includes(name)) continue;
      const options = isAbout ? {} : behalf(role === undefined ? own.id : id);
      for (const path of pathsOf(call.path, ids, role === undefined ? [id, own.id] : [id])) {
        for (const given of body === null ? [undefined] : bodiesFor(body, ids)) {
          const named = `?token_id=${ids[0]}&user_id=${id}&username=${mark}&token_name=${mark}&keyword=${mark}&by=token`;
          // Also the whole of a list.
          for (const query of call.method === 'GET' ? [named, ''] : ['']) {
            const answer = await attacker.call(call.method, path + query, given, options);
            const place = `${call.method} ${path}${query} with ${JSON.stringify(given)?.slice(0, 300)} by ${kind}`;
            expect(answer.status, place).toBeLessThan(500);
            if (call.method !== 'GET') expect(await belongings(victim, attacker.userId ?? 0), place).toEqual(before);
            const text = JSON.stringify(answer.body);
            if (readsNothing) expect(text, place).not.toContain(mark);
            for (const key of keys) expect(text, place).not.toContain(key);
          }
        }
      }
    }
  });
});

/** Addresses with the ids of the victim, those of organisations also for the attacker's own organisation. */
function pathsOf(path: string, ids: readonly number[], organisations: readonly number[]): string[] {
  const heads = path.startsWith('/api/organisation/{id}')
    ? organisations.filter((_, at) => at === 0 || /\{id\}.*\{/.test(path)).map((id) => path.replace('{id}', String(id)))
    : [path];
  return heads.flatMap((head) => (head.includes('{') ? ids.map((id) => head.replaceAll(/\{\w+\}/g, String(id))) : [head]));
}

/** Bodies that name each record in every field that could mean it. */
function bodiesFor(body: Property, ids: readonly number[]): unknown[] {
  const properties = Object.entries(body.properties ?? {});
  return ids.map((id) => Object.fromEntries(properties.map(([name, property]) => [name, aimedAt(name, property, id)])));
}

function aimedAt(name: string, property: Property, id: number): unknown {
  if (name === 'ref') return `reference-${id}`;
  if (name === 'role') return 'reader';
  switch (Array.isArray(property.type) ? property.type[0] : property.type) {
    case 'array':
      return property.items?.type === 'integer' ? [id] : [];
    case 'integer':
    case 'number':
      return name.endsWith('id') ? id : 1;
    case 'boolean':
      return true;
    case 'object':
      return {};
    default:
      return property.enum?.[0] ?? 'taken';
  }
}
