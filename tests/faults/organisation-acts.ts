// What happens to an organisation at random: calls, edits of limits and budgets, money in and out, joining and leaving, teams, the end.
import { addMember, withOrganisationLock } from '#server/accounts/members.ts';
import { storedLimits } from '#server/accounts/stored-limits.ts';
import { boundBudgets } from '#server/budgets/bound-budgets.ts';
import type { RunningContext } from '#server/create-context.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { refundCall } from '#server/features/logs/refund-call.ts';
import { createTeam, editOrganisation, editTeam, removeTeam } from '#server/features/organisations/edit-organisation.ts';
import { endOrganisation } from '#server/features/organisations/found-organisation.ts';
import { editMember, removeMember } from '#server/features/organisations/members.ts';
import { reach, type Reached, requireActive } from '#server/features/organisations/reach.ts';
import { transferQuota } from '#server/features/organisations/transfer-quota.ts';
import { balanceOf } from '#server/money/account.ts';
import { raiseBudget, resetBudget } from '#server/slices/budgets/change-budget-period.ts';
import type { Budget } from '#shared/budgets.ts';
import { LogType } from '#shared/logs.ts';
import type { OrganisationRight } from '#shared/organisation-roles.ts';
import type { RateLimit } from '#shared/rate-limits.ts';
import {
  admit,
  begin,
  extendOne,
  largest,
  type OrganisationSubject,
  pick,
  type Process,
  releaseOne,
  settleOne,
  steadyId,
  usual,
} from '#tests/faults/organisation-calls.ts';

type Act = (subject: OrganisationSubject, context: RunningContext, process: Process) => Promise<unknown>;

const acts: Record<string, [weight: number, act: Act]> = {
  begin: [30, begin],
  settle: [20, settleOne],
  release: [5, releaseOne],
  extend: [4, extendOne],
  editKey: [4, editKey],
  editMember: [4, (subject, context) => edit(subject, context, { budgets: budgets(subject), rate_limits: parallelLimit(subject) })],
  editTeam: [4, editSomeTeam],
  editOrganisation: [3, editAccountLimits],
  raise: [3, raise],
  reset: [3, reset],
  fundIn: [5, (subject, context) => fund(subject, context, 'in')],
  fundOut: [4, (subject, context) => fund(subject, context, 'out')],
  join: [4, join],
  leave: [3, leave],
  suspend: [3, (subject, context) => edit(subject, context, { is_suspended: subject.random() < 0.4 })],
  move: [4, moveToTeam],
  createTeam: [2, addTeam],
  removeTeam: [3, dropTeam],
  refund: [5, refund],
  end: [1, end],
};
const allWeights = Object.values(acts).reduce((sum, [weight]) => sum + weight, 0);

export async function actOnce(subject: OrganisationSubject, process: Process): Promise<void> {
  let choice = subject.random() * allWeights;
  for (const [name, [weight, act]] of Object.entries(acts)) {
    choice -= weight;
    if (choice >= 0) continue;
    // Refusals are part of it, and so is what a process that died leaves undone.
    const isDone = await act(subject, process.context, process).then(
      (result) => result !== false,
      () => false,
    );
    if (isDone) subject.seen[name] = (subject.seen[name] ?? 0) + 1;
    return;
  }
}

/** Budgets of a record: mostly a hard one, and one that warns. */
export function budgets({ random }: Pick<OrganisationSubject, 'random'>): Budget[] {
  const amount = 1 + Math.floor(random() * 3 * largest);
  const period = pick(['day', 'month', 'five_hours', 'once'] as const, random);
  const hard: Budget = { id: 'hard', amount, period, starts: random() < 0.7 ? 'calendar' : 'first_call', at_end: 'stop' };
  const soft: Budget = { id: 'soft', amount: 1, period: 'day', starts: 'first_call', at_end: 'warn' };
  const choice = random();
  return choice < 0.1 ? [] : choice < 0.5 ? [hard] : [hard, soft];
}

export function dailyLimit({ random }: Pick<OrganisationSubject, 'random'>): RateLimit[] {
  return random() < 0.3 ? [] : [{ meter: 'requests', per: 'day', amount: pick([1, 20], random) }];
}

function parallelLimit({ random }: OrganisationSubject): RateLimit[] {
  return random() < 0.3 ? [] : [{ meter: 'parallel', amount: pick([1, 3], random) }];
}

function asPerson({ id }: OrganisationSubject, context: RunningContext, user: UserRecord, right: OrganisationRight): Promise<Reached> {
  return reach({ context, caller: { user, membership: null, sessionId: null } }, id, right);
}

/** The founder, who manages. */
function asOwner(subject: OrganisationSubject, context: RunningContext): Promise<Reached> {
  return asPerson(subject, context, pick(subject.people.slice(0, 1), subject.random), 'own');
}

async function editKey(subject: OrganisationSubject, { db, changes }: RunningContext): Promise<boolean> {
  const hash = pick(subject.keys.slice(0, -1), subject.random);
  const set = { ...storedLimits({ budgets: budgets(subject), rate_limits: dailyLimit(subject) }) };
  const edited = await db.collection('tokens').patch({ key_hash: hash, DeletedAt: null }, { set, increment: { revision: 1 } });
  if (edited !== null) await changes.announce('token', edited.id);
  return edited !== null;
}

async function edit(subject: OrganisationSubject, context: RunningContext, change: Parameters<typeof editMember>[3]): Promise<void> {
  const person = pick(subject.people.slice(1), subject.random);
  await editMember(context, await asOwner(subject, context), person.id, change);
}

async function someTeam({ id, random }: OrganisationSubject, { db }: RunningContext): Promise<{ id: number; organisation_id: number }> {
  const teams = await db.collection('teams').find({ organisation_id: id });
  return pick(teams, random);
}

async function editSomeTeam(subject: OrganisationSubject, context: RunningContext): Promise<void> {
  await editTeam(context, await someTeam(subject, context), { budgets: budgets(subject), rate_limits: dailyLimit(subject) });
}

async function editAccountLimits(subject: OrganisationSubject, context: RunningContext): Promise<void> {
  const { organisation } = await asOwner(subject, context);
  await editOrganisation(context, organisation, { budgets: budgets(subject), rate_limits: parallelLimit(subject) });
}

/** One of the budgets of a key but the one that no one changes. */
async function someBudget(subject: OrganisationSubject, context: RunningContext) {
  const admission = await admit(subject, context);
  const bounds = admission === null ? [] : boundBudgets(admission, []);
  return pick(
    bounds.filter(({ budget }) => budget.id !== steadyId),
    subject.random,
  );
}

/** Under few references, so that raises and resets are repeated; also twice at once. */
async function raise(subject: OrganisationSubject, context: RunningContext): Promise<void> {
  const bound = await someBudget(subject, context);
  const { random, root } = subject;
  await raiseBudget(context, bound, {
    amount: 1 + Math.floor(random() * usual),
    ref: `raise-${Math.floor(random() * 3)}`,
    actorId: root.id,
  });
}

async function reset(subject: OrganisationSubject, context: RunningContext): Promise<void> {
  const bound = await someBudget(subject, context);
  const { random, seen } = subject;
  const ref = `reset-${Math.floor(random() * 3)}`;
  const times = random() < 0.5 ? 2 : 1;
  await Promise.all(Array.from({ length: times }, () => resetBudget(context, bound, ref)));
  seen['resetTwice'] = (seen['resetTwice'] ?? 0) + times - 1;
}

async function fund(subject: OrganisationSubject, context: RunningContext, direction: 'in' | 'out', all = false): Promise<void> {
  const { random, id } = subject;
  const person = direction === 'out' ? subject.people[0] : pick(subject.people, random);
  if (person === undefined) return;
  const right = direction === 'out' ? 'own' : 'member';
  const [from, to] = direction === 'out' ? [id, person.id] : [person.id, id];
  const ref = random() < 0.7 ? `${direction}-${random()}` : `${direction}-${Math.floor(random() * 3)}`;
  await withOrganisationLock(context, id, async () => {
    const reached = await asPerson(subject, context, person, right);
    requireActive(reached);
    const amount = all ? balanceOf(reached.account) : 1 + Math.floor(random() * largest);
    await transferQuota(context, { from, to, amount, actorId: person.id, ref });
  });
}

async function join(subject: OrganisationSubject, context: RunningContext): Promise<void> {
  const person = pick(subject.people.slice(1), subject.random);
  const joining = { user_id: person.id, role: 'developer', source: 'invite', invited_by: subject.root.id } as const;
  const team = subject.random() < 0.5 ? 0 : (await someTeam(subject, context)).id;
  await addMember(context, subject.id, { ...joining, team_id: team, ...storedLimits({ budgets: budgets(subject) }) });
}

/** By the member, or by the owner, with an heir or none. */
async function leave(subject: OrganisationSubject, context: RunningContext): Promise<void> {
  const { random, people } = subject;
  const person = pick(people.slice(1), random);
  const reached = random() < 0.5 ? await asPerson(subject, context, person, 'member') : await asOwner(subject, context);
  const heir = random() < 0.6 ? pick(people, random).id : 0;
  await removeMember(context, reached, person.id, { heir, keys: random() < 0.3 ? 'disable' : undefined });
}

async function moveToTeam(subject: OrganisationSubject, context: RunningContext): Promise<void> {
  const team = subject.random() < 0.3 ? 0 : (await someTeam(subject, context)).id;
  await edit(subject, context, { team_id: team });
}

async function addTeam(subject: OrganisationSubject, context: RunningContext): Promise<void> {
  await asOwner(subject, context);
  const name = `team ${Math.floor(subject.random() * 4)}`;
  await createTeam(context, subject.id, { name, budgets: budgets(subject), rate_limits: dailyLimit(subject) });
}

async function dropTeam(subject: OrganisationSubject, context: RunningContext): Promise<void> {
  await asOwner(subject, context);
  await removeTeam(context, await someTeam(subject, context));
}

/** A part of a call, under few references, also after the end of the organisation. */
async function refund({ id, root, random }: OrganisationSubject, context: RunningContext): Promise<void> {
  const filter = { user_id: id, type: LogType.consumption, quota: { gt: 0 } };
  const rows = await context.db.collection('logs').find(filter, { sort: [['id', -1]], limit: 10 });
  const call = pick(
    rows.filter(({ request_id: name }) => name?.startsWith(steadyId) !== true),
    random,
  );
  const amount = 1 + Math.floor(random() * call.quota);
  await refundCall(context, root, call.id, { amount, reason: 'the answer was empty', ref: `refund-${Math.floor(random() * 3)}` });
}

/** Withdraws everything and deletes the organisation, mostly while calls run. */
async function end(subject: OrganisationSubject, context: RunningContext): Promise<void> {
  await fund(subject, context, 'out', true);
  const { organisation, person } = await asOwner(subject, context);
  await endOrganisation(context, organisation, person.id);
}
