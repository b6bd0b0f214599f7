import { Role } from '#shared/roles.ts';
import { foldName } from '#server/accounts/folded-name.ts';
import { importedNameLimit } from '#server/accounts/imported-names.ts';
import { onField } from '#server/db/collection.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { emptyMoney } from '#server/money/account.ts';
import type { ImportJob } from '../import-job.ts';
import type { RowNote, UserDraft } from '../mapped-row.ts';
import { added, type FreshRow, type Target, type Verdict } from './target.ts';

/** Unique fields of an account, and the remark when another account has the value. */
const uniqueFields = [
  ['email_folded', { reason: 'email_taken' }],
  ['github_subject', { reason: 'identity_taken', detail: 'GitHub' }],
  ['oidc_subject', { reason: 'identity_taken', detail: 'OIDC' }],
  ['wechat_subject', { reason: 'identity_taken', detail: 'WeChat' }],
  ['telegram_subject', { reason: 'identity_taken', detail: 'Telegram' }],
  ['linux_do_subject', { reason: 'identity_taken', detail: 'Linux DO' }],
  ['aff_code', { reason: 'invite_code_taken' }],
  ['access_token_hash', { reason: 'access_token_taken' }],
] as const satisfies readonly (readonly [keyof UserDraft, RowNote])[];

export const userTarget: Target<'user'> = {
  kind: 'user',
  account: 'user',
  references: ({ inviterRef }) => [{ kind: 'user', oldId: inviterRef }],
  async judge(job, rows) {
    const names = await takenBy(job, rows);
    const values = await takenValues(job, rows);
    const verdicts: Verdict<UserDraft>[] = [];
    const hasRoot = rows.some(({ draft }) => draft.role >= Role.root) && (await hasOtherRoot(job));
    for (const row of rows) verdicts.push(await judgeOne(job, row, { names, values, hasRoot }));
    return verdicts;
  },
  insertion({ inviterRef, ...draft }, id, idOf) {
    const record: UserRecord = {
      ...draft,
      id,
      inviter_id: idOf('user', inviterRef),
      // Credited through the ledger.
      quota: 0,
      used_quota: 0,
      ...emptyMoney(),
    };
    return { insert: record, into: 'users', ignoreConflict: true };
  },
  existing: async ({ context }, ids) => new Set((await context.db.collection('users').find({ id: { in: ids } })).map(({ id }) => id)),
  nextIds: ({ context }, count) => context.db.nextIds('users', count),
};

interface Taken {
  /** Accounts by folded name. */
  names: Map<string, Pick<UserRecord, 'id' | 'username' | 'role'>>;
  /** `field:value` of other accounts, and of earlier rows of the page. */
  values: Set<string>;
  /** Whether a super administrator is here who did not come from the same source. */
  hasRoot: boolean;
}

async function judgeOne(job: ImportJob, row: FreshRow<UserDraft>, { names, values, hasRoot }: Taken): Promise<Verdict<UserDraft>> {
  const notes: RowNote[] = [];
  let draft = row.draft;
  const folded = foldName(draft.username);
  const namesake = names.get(folded);
  if (namesake !== undefined) {
    if (namesake.role >= Role.root && draft.role >= Role.root && namesake.id > 0) {
      return { row, outcome: 'join', id: namesake.id, notes: [{ reason: 'joined_root' }] };
    }
    if (namesake.id <= 0) {
      // Of names in the source that differ by case only, the first has the folded one.
      const { username_folded: _folded, ...rest } = draft;
      draft = rest;
      notes.push({ reason: 'name_case' });
    } else if (job.options.conflicts === 'rename') {
      const username = await freeName(job, draft.username, names);
      draft = { ...draft, username, username_folded: foldName(username) };
      notes.push({ reason: 'renamed', detail: username });
    } else {
      return {
        row,
        outcome: 'conflict',
        note: { reason: 'name_taken', detail: `${namesake.username} (#${namesake.id})`, quota: row.money.amount },
      };
    }
  }
  if (draft.role >= Role.root && hasRoot) notes.push({ reason: 'second_root' });
  for (const [field, note] of uniqueFields) {
    const value = draft[field];
    if (value === undefined) continue;
    if (values.has(`${field}:${value}`)) {
      const { [field]: _taken, ...rest } = draft;
      draft = rest;
      notes.push(note);
    } else values.add(`${field}:${value}`);
  }
  names.set(foldName(draft.username), { id: 0, username: draft.username, role: draft.role });
  if (job.isDry) job.plannedNames.add(foldName(draft.username));
  return added(row, draft, notes);
}

/** Accounts here by folded name. Those that came from the same source, or would, have the id 0. */
async function takenBy(job: ImportJob, rows: readonly FreshRow<UserDraft>[]): Promise<Taken['names']> {
  const users = job.context.db.collection('users');
  const written = rows.map(({ draft }) => draft.username);
  const folded = written.map(foldName);
  const found = [...(await users.find({ username_folded: { in: folded } })), ...(await users.find({ username: { in: written } }))];
  const names: Taken['names'] = new Map();
  for (const name of folded) if (job.plannedNames.has(name)) names.set(name, { id: 0, username: name, role: 0 });
  const own = await ownIds(
    job,
    found.map(({ id }) => id),
  );
  for (const { id, username, role } of found) names.set(foldName(username), { id: own.has(id) ? 0 : id, username, role });
  return names;
}

/** Ids, of these, that this source has been imported under. */
async function ownIds({ context, state, isDry }: ImportJob, ids: readonly number[]): Promise<ReadonlySet<number>> {
  if (isDry || ids.length === 0) return new Set();
  const refs = await context.db.collection('ledger').find({ account: 'user', account_id: { in: ids }, kind: 'import' });
  return new Set(refs.filter(({ ref }) => ref.startsWith(`import:${state.id}:`)).map(({ account_id: id }) => id));
}

async function hasOtherRoot(job: ImportJob): Promise<boolean> {
  const roots = await job.context.db.collection('users').find({ role: { gte: Role.root } });
  const own = await ownIds(
    job,
    roots.map(({ id }) => id),
  );
  return roots.some(({ id }) => !own.has(id));
}

async function takenValues({ context }: ImportJob, rows: readonly FreshRow<UserDraft>[]): Promise<Set<string>> {
  const users = context.db.collection('users');
  const taken = new Set<string>();
  for (const [field] of uniqueFields) {
    const values = rows.flatMap(({ draft }) => draft[field] ?? []);
    if (values.length === 0) continue;
    for (const user of await users.find(onField<UserRecord, typeof field>(field, { in: values }))) taken.add(`${field}:${user[field]}`);
  }
  return taken;
}

async function freeName({ context, plannedNames }: ImportJob, name: string, names: Taken['names']): Promise<string> {
  const users = context.db.collection('users');
  for (let number = 2; ; number += 1) {
    const suffix = `-${number}`;
    const candidate = `${Array.from(name)
      .slice(0, importedNameLimit - suffix.length)
      .join('')}${suffix}`;
    const folded = foldName(candidate);
    if (names.has(folded) || plannedNames.has(folded)) continue;
    if ((await users.first({ username_folded: folded })) === null && (await users.first({ username: candidate })) === null)
      return candidate;
  }
}
