// What members of organisations and their clients try beyond their part, and with the largest amounts.
import { describe, expect, it } from 'vitest';
import { addMember } from '#server/accounts/members.ts';
import { finishOrganisationTransfers } from '#server/features/organisations/transfer-quota.ts';
import { audit } from '#server/money/audit.ts';
import { engines } from '#tests/support/engines.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';

const path = '/api/organisation/';

async function buildOrganisation(scene: RelayScene) {
  const person = await scene.app.createUser({ quota: 100_000_000 });
  const owner = await scene.app.as(person);
  const { id } = (await owner.post(path, { name: 'Harbour Labs', ref: 'reference-found' })).data as { id: number };
  await owner.post(`${path}${id}/fund`, { amount: 50_000_000, ref: 'reference-fund' });
  const behalf = { headers: { 'openai-organization': `org-${id}` } };
  const join = async (role: 'developer' | 'reader', quota = 0) => {
    const user = await scene.app.createUser({ quota });
    await addMember(scene.app.context, id, { user_id: user.id, role, team_id: 0, source: 'invite', invited_by: person.id });
    return scene.app.as(user);
  };
  return { id, owner, behalf, join };
}

describe.each(engines)('attacks on organisations on $kind', { concurrent: true }, (engine) => {
  it('a transfer beyond what an account can have goes back, also when it is requested again', async () => {
    await using scene = await createScene(engine);
    const { context, clock } = scene.app;
    const { id, owner, join } = await buildOrganisation(scene);
    const most = Number.MAX_SAFE_INTEGER;
    const rich = await join('developer', most);
    const fund = () => rich.post(`${path}${id}/fund`, { amount: most, ref: 'reference-huge' });
    const balances = async () => [
      (await rich.get('/api/user/self')).data.quota as number,
      (await owner.get(`${path}${id}`)).data.quota as number,
    ];
    expect(await fund()).toMatchObject({ code: 'balance_too_large', field: 'amount' });
    expect(await balances()).toEqual([most, 50_000_000]);
    expect(await fund()).toMatchObject({ code: 'balance_too_large' });
    clock.advance(60_000);
    await finishOrganisationTransfers(context);
    expect(await balances()).toEqual([most, 50_000_000]);
    expect(await context.db.collection('organisation_transfers').count({ due_at: { exists: true } }, 10)).toBe(0);
    expect((await audit(context.db)).findings).toEqual([]);
  });

  it('SCIM: names of one attribute in many spellings are no more writes than operations are accepted', async () => {
    await using scene = await createScene(engine);
    const { id, owner } = await buildOrganisation(scene);
    const { token } = (await owner.post(`${path}${id}/scim_token`)).data;
    const scim = (method: string, to: string, body: object) =>
      fetch(`${scene.app.origin}/scim/v2${to}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
        body: JSON.stringify(body),
      });
    const team: { id: string } = await (await scim('POST', '/Groups', { displayName: 'Search' })).json();
    // In each spelling, a letter is a capital where the number has a bit.
    const spelt = (at: number) => Array.from('externalid', (letter, place) => ((at >> place) & 1 ? letter.toUpperCase() : letter)).join('');
    const value = Object.fromEntries(Array.from({ length: 600 }, (_, at) => [spelt(at), `v${at}`]));
    const operation = { op: 'replace', value };
    expect((await scim('PATCH', `/Groups/${team.id}`, { Operations: [operation, operation] })).status).toBe(413);
    expect((await scene.app.context.db.collection('teams').get(Number(team.id)))?.external_id).toBeUndefined();
    expect((await scim('PATCH', `/Groups/${team.id}`, { Operations: [{ op: 'replace', value: { externalId: 'e-1' } }] })).status).toBe(200);
  });
});
