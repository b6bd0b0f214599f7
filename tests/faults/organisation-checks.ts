// What must be true of organisations, their keys and budgets, however everything was interleaved.
import { expect } from 'vitest';
import type { Database } from '#server/db/database.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import { balanceOf, idsIn, leasedOf } from '#server/money/account.ts';
import { type OrganisationSubject, steadyAmount, steadyId } from '#tests/faults/organisation-calls.ts';

/** Calls cost at most what they have reserved: a hard budget is below zero only by what edits took from what was spent or reserved. */
export async function checkPeriods(db: Database, where: string): Promise<void> {
  const taken = new Map<number, number>();
  for await (const { account_id: id, amount, state } of db.collection('ledger').each({ account: 'budget' }))
    if (amount < 0 && state !== 'void') taken.set(id, (taken.get(id) ?? 0) - amount);
  const resets = new Map<string, number>();
  for await (const period of db.collection('budget_periods').each({})) {
    const { id, key, reset_as: ref } = period;
    if (!key.endsWith(':soft'))
      expect.soft(balanceOf(period), `${where}: ${key}, period ${id}`).toBeGreaterThanOrEqual(-(taken.get(id) ?? 0));
    if (ref === undefined) continue;
    const count = (resets.get(ref) ?? 0) + 1;
    resets.set(ref, count);
    expect.soft(count, `${where}: resets by ${ref}`).toBe(1);
  }
}

/** When all processes have ended: nothing is reserved. */
export async function checkLeases(db: Database, where: string): Promise<void> {
  for (const name of ['users', 'tokens', 'budget_periods'] as const)
    for await (const record of db.collection<typeof name>(name).each({}))
      expect.soft(leasedOf(record), `${where}: leases of ${name} ${record.id}`).toBe(0);
}

/** When nothing runs any more. */
export async function checkOrganisation(db: Database, subject: OrganisationSubject, where: string): Promise<void> {
  const { id } = subject;
  const at = `${where}: organisation ${id}`;
  const [organisation, account] = [await db.collection('organisations').get(id), await db.collection('users').get(id)];
  if (organisation === null || account === null) throw new Error('The organisation is gone');
  const tokens = await db.collection('tokens').find({ user_id: id });
  if (account.DeletedAt !== null) expect.soft(balanceOf(account), `${at}: balance after its end`).toBeLessThanOrEqual(0);
  // A process that dies at the end of an organisation leaves neither half of it.
  expect.soft(organisation.DeletedAt === null, `${at}: its account`).toBe(account.DeletedAt === null);
  await checkTransfers(db, subject, at);
  await checkPeople(db, subject, tokens, at);
  await checkSteady(db, subject, tokens, at);
}

/** What left one account has arrived in another one. */
async function checkTransfers(db: Database, { id, people }: OrganisationSubject, at: string): Promise<void> {
  const ids = [id, ...people.map((person) => person.id)];
  const entries = await db.collection('ledger').find({ account: 'user', account_id: { in: ids }, kind: 'organisation_transfer' });
  expect
    .soft(
      entries.reduce((sum, { amount, state }) => sum + (state === 'done' ? amount : 0), 0),
      `${at}: transfers`,
    )
    .toBe(0);
  expect
    .soft(await db.collection('organisation_transfers').count({ from_id: { in: ids }, due_at: { exists: true } }), `${at}: due`)
    .toBe(0);
}

/** Teams of members and keys exist, keys have one current token each, and none is on its way. */
async function checkPeople(db: Database, subject: OrganisationSubject, tokens: readonly TokenRecord[], at: string): Promise<void> {
  const { id, keys } = subject;
  const members = await db.collection('organisation_members').find({ organisation_id: id });
  const teams = new Set((await db.collection('teams').find({ organisation_id: id })).map((team) => team.id));
  for (const { user_id: userId, team_id: team } of members)
    expect.soft(team === 0 || teams.has(team), `${at}: member ${userId} in team ${team}`).toBe(true);
  for (const { id: tokenId, team_id: team = 0, DeletedAt } of tokens)
    if (DeletedAt === null) expect.soft(team === 0 || teams.has(team), `${at}: key ${tokenId} in team ${team}`).toBe(true);
  expect.soft(new Set(members.map(({ user_id: userId }) => userId)).size, `${at}: members`).toBe(members.length);
  for (const hash of keys) {
    const current = tokens.filter(({ key_hash: stored, DeletedAt }) => stored === hash && DeletedAt === null);
    expect.soft(current.length, `${at}: tokens of a key`).toBe(1);
  }
}

/** The budget of a key holds also after the key was handed over. */
async function checkSteady(db: Database, { id, keys }: OrganisationSubject, tokens: readonly TokenRecord[], at: string): Promise<void> {
  const chain = new Set<number>();
  const byId = new Map(tokens.map((token) => [token.id, token]));
  for (let token = tokens.find(({ key_hash: hash }) => hash === keys.at(-1)); token !== undefined; token = byId.get(token.moved_from ?? 0))
    chain.add(token.id);
  const periods = await db.collection('budget_periods').find({ user_id: id, token_id: { in: [...chain] } });
  const months = new Map(periods.filter(({ key }) => key.endsWith(`:${steadyId}`)).map((period) => [period.id, period.ends_at]));
  const spent = new Map<number, number>();
  for (const { budgets = '', quota } of await db.collection('logs').find({ user_id: id, token_id: { in: [...chain] }, type: 2 }))
    for (const period of idsIn(budgets)) {
      const month = months.get(period);
      if (month !== undefined) spent.set(month, (spent.get(month) ?? 0) + quota);
    }
  for (const sum of spent.values())
    expect.soft(sum, `${at}: a month of a key that ${chain.size} tokens had`).toBeLessThanOrEqual(steadyAmount);
}
