// Organisations, their members and teams.
import { mostTeams } from '#shared/organisations.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import type { ConsoleDesk } from './console-desk.ts';
import { type Refusal, type RefusalRows, type Reported, reportedBy, reportedByRelay } from './refusal.ts';

const path = '/api/organisation/';

async function found(desk: ConsoleDesk, fields: { quota?: number } = {}): Promise<{ id: number; owner: TestClient }> {
  const owner = await desk.member(fields);
  const { id } = (await owner.post(path, { name: 'Harbour', ref: 'refusal-row' })).data;
  return { id, owner };
}

const on = (id: number) => ({ headers: { 'openai-organization': `org-${id}` } });

async function join(desk: ConsoleDesk, { id, owner }: { id: number; owner: TestClient }, role: string): Promise<TestClient> {
  const client = await desk.member();
  const { link } = (await owner.post(`${path}${id}/invites`, { emails: [], role })).data;
  await client.post(`${path}invite/accept`, { token: link.split('#')[1] });
  return client;
}

const inOrganisation =
  (work: (client: TestClient, id: number) => Promise<Parameters<typeof reportedBy>[0]>) => async (desk: ConsoleDesk) => {
    const { id, owner } = await found(desk);
    return reportedBy(await work(owner, id));
  };

export const organisationRefusals = {
  async organisation_unknown(desk) {
    const { id } = await found(desk);
    return reportedBy(await (await desk.member()).get(`${path}${id}`));
  },
  async organisation_disabled(desk) {
    const { id, owner } = await found(desk);
    await desk.admin.put(`${path}${id}/manage`, { status: 2 });
    return reportedBy(await owner.get('/api/token/', on(id)));
  },
  async storing_denied(desk) {
    const { id, owner } = await found(desk);
    await owner.put(`${path}${id}`, { policy: { stores_nothing: true } });
    const [token] = (await owner.post('/api/token/', { name: 'app', unlimited_quota: true }, on(id))).data;
    const headers = { authorization: `Bearer sk-${token.key}`, 'accept-language': desk.language, 'content-type': 'application/json' };
    const response = await fetch(`${desk.app.origin}/v1/conversations`, { method: 'POST', headers, body: '{}' });
    return reportedByRelay(response.status, await response.json());
  },
  async token_limit_bound(desk) {
    const { id, owner } = await found(desk);
    const developer = await join(desk, { id, owner }, 'developer');
    const [token] = (await developer.post('/api/token/', { name: 'app', unlimited_quota: true }, on(id))).data;
    await owner.put('/api/token/', { id: token.id, allow_ips: '10.0.0.1' }, on(id));
    const by = (await owner.get('/api/user/self')).data.username;
    return {
      reported: reportedBy(await developer.put('/api/token/', { id: token.id, allow_ips: '' }, on(id))),
      details: { name: 'app', by },
    };
  },
  async token_stopped(desk) {
    const { id, owner } = await found(desk);
    const developer = await join(desk, { id, owner }, 'developer');
    const [token] = (await developer.post('/api/token/', { name: 'app', unlimited_quota: true }, on(id))).data;
    const turn = '/api/token/?status_only=1';
    await owner.put(turn, { id: token.id, status: 2 }, on(id));
    const name = (await owner.get('/api/user/self')).data.username;
    return { reported: reportedBy(await developer.put(turn, { id: token.id, status: 1 }, on(id))), details: { name } };
  },
  async organisation_ownerless(desk) {
    const { id, owner } = await found(desk);
    const [token] = (await owner.post('/api/token/', { name: 'app', unlimited_quota: true, is_service: true }, on(id))).data;
    await desk.admin.post('/api/user/manage', { id: owner.userId, action: 'disable' });
    const headers = { authorization: `Bearer sk-${token.key}`, 'accept-language': desk.language };
    const response = await fetch(`${desk.app.origin}/v1/models`, { headers });
    return reportedByRelay(response.status, await response.json());
  },
  organisation_not_here: inOrganisation((client, id) => client.get('/api/user/sessions', on(id))),
  async organisation_right_missing(desk) {
    const made = await found(desk);
    const reader = await join(desk, made, 'reader');
    return reportedBy(await reader.get('/api/token/', on(made.id)));
  },
  organisation_creation_denied: (desk) =>
    desk.during({ OrganisationFounders: 'nobody' }, async () =>
      reportedBy(await (await desk.member()).post(path, { name: 'x', ref: 'refusal-row' })),
    ),
  async organisation_limit_reached(desk): Promise<Refusal> {
    const owner = await desk.member();
    let last: Reported | undefined;
    for (let index = 0; index < 11; index += 1) last = reportedBy(await owner.post(path, { name: 'x', ref: `refusal-row-${index}` }));
    if (last === undefined) throw new Error('No organisation was founded');
    return { reported: last, details: { limit: 10 } };
  },
  async organisation_has_balance(desk) {
    const { id, owner } = await found(desk, { quota: 5000 });
    await owner.post(`${path}${id}/fund`, { amount: 1000, ref: 'refusal-row' });
    return reportedBy(await owner.delete(`${path}${id}`));
  },
  async organisation_domain_taken(desk): Promise<Refusal> {
    const [one, other] = [await found(desk), await found(desk)];
    await desk.admin.put(`${path}${one.id}/manage`, { domains: ['harbour.example'] });
    const reported = reportedBy(await desk.admin.put(`${path}${other.id}/manage`, { domains: ['harbour.example'] }));
    await desk.admin.put(`${path}${one.id}/manage`, { domains: [] });
    return { reported, details: { domain: 'harbour.example' } };
  },
  organisation_last_owner: inOrganisation((client, id) => client.delete(`${path}${id}/members/${client.userId}`)),
  async organisation_members_limit(desk): Promise<Refusal> {
    const made = await found(desk);
    // Not through the audit log, which would record each.
    const { db } = desk.app.database;
    const members = db.collection('organisation_members');
    const founder = await members.first({ organisation_id: made.id });
    if (founder === null) throw new Error('The organisation has no founder');
    const ids = Array.from({ length: 10_000 }, (_, index) => 1_000_000 + index);
    await db.write(
      ids.map((id) => ({
        insert: { ...founder, id: made.id * 100_000 + id, user_id: id, role: 'reader' as const },
        into: 'organisation_members' as const,
      })),
    );
    const client = await desk.member();
    const { link } = (await made.owner.post(`${path}${made.id}/invites`, { emails: [], role: 'reader' })).data;
    return { reported: reportedBy(await client.post(`${path}invite/accept`, { token: link.split('#')[1] })), details: { limit: 10_000 } };
  },
  async organisation_invites_limit(desk): Promise<Refusal> {
    const { id, owner } = await found(desk);
    const { db } = desk.app.context;
    await owner.post(`${path}${id}/invites`, { emails: [], role: 'reader' });
    const [open] = await db.collection('organisation_invites').find({ organisation_id: id });
    if (open === undefined) throw new Error('There is no invitation');
    const rows = Array.from({ length: 499 }, (_, index) => ({ ...open, id: id * 1000 + index + 500_000, token_hash: `${id}:${index}` }));
    await db.write(rows.map((insert) => ({ insert, into: 'organisation_invites' as const })));
    return { reported: reportedBy(await owner.post(`${path}${id}/invites`, { emails: [], role: 'reader' })), details: { limit: 500 } };
  },
  organisation_invite_invalid: async (desk) => reportedBy(await (await desk.member()).post(`${path}invite/accept`, { token: 'guessed' })),
  member_unknown: inOrganisation((client, id) => client.put(`${path}${id}/members/999999`, { role: 'reader' })),
  team_unknown: inOrganisation((client, id) => client.put(`${path}${id}/teams/999999`, { name: 'Search' })),
  async team_limit_reached(desk): Promise<Refusal> {
    const { id, owner } = await found(desk);
    const { db } = desk.app.context;
    await owner.post(`${path}${id}/teams`, { name: 'Search' });
    const [team] = await db.collection('teams').find({ organisation_id: id });
    if (team === undefined) throw new Error('There is no team');
    const rows = Array.from({ length: mostTeams }, (_, index) => ({ ...team, id: id * 1000 + index + 500_000, name: `team ${index}` }));
    await db.write(rows.map((insert) => ({ insert, into: 'teams' as const })));
    return { reported: reportedBy(await owner.post(`${path}${id}/teams`, { name: 'One more' })), details: { limit: mostTeams } };
  },
  async team_name_taken(desk) {
    const { id, owner } = await found(desk);
    await owner.post(`${path}${id}/teams`, { name: 'Search' });
    return reportedBy(await owner.post(`${path}${id}/teams`, { name: 'Search' }));
  },
} satisfies RefusalRows<ConsoleDesk>;
