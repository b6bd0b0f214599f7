// Tokens of a document, found by their owner and name. A file makes no token for a user whom its applier may not act on.
import { AppError, type LocalText } from '#shared/errors.ts';
import { fieldSentence, invalidField } from '#shared/field-rules.ts';
import { mayActOn, Role } from '#shared/roles.ts';
import { TokenStatus, tidyTokenName, type TokenCreate } from '#shared/tokens.ts';
import { isAboveOwners } from '#server/accounts/owners.ts';
import { actingOn } from '#server/audit-log/actor.ts';
import type { ManagedMark } from '#server/db/records/managed-mark.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { createTokens } from '#server/features/tokens/create-tokens.ts';
import { deleteTokens } from '#server/features/tokens/delete-tokens.ts';
import { editToken, editTokenStatus } from '#server/features/tokens/edit-token.ts';
import { report } from '#server/features/tokens/of-users/manage-token.ts';
import { checkHeldLimits } from '#server/features/tokens/held-limits.ts';
import { renewToken } from '#server/features/tokens/renew-token.ts';
import { requireTokenCapacity } from '#server/features/tokens/token-capacity.ts';
import { checkAutoGroups, checkTokenFields, checkTokenGroup } from '#server/features/tokens/token-fields.ts';
import type { Settings } from '#server/settings/settings.ts';
import { bareKey, longestKey } from '#server/tokens/key-readings.ts';
import { findByKey } from '#server/tokens/find-by-key.ts';
import { defaultTokenFields } from '#server/tokens/insert-token.ts';
import type { DescribedToken } from './document.ts';
import { deletionOf, fieldOf, isOthers, isSameMark, markOf, type PlannedKind, type Planning, refusalText, type Step } from './planning.ts';
import { type Entry, placeIn } from './read-document.ts';

type TokenEntry = Entry<string, DescribedToken>;

export interface PlannedTokens extends PlannedKind {
  /** Counts of tokens that leave their group. */
  leaving: Map<string, number>;
}

/** Shorter keys could be guessed. */
const shortestKey = 32;
/** Length of a key that is made. */
const keyLength = 48;

export async function planTokens(planning: Planning, settings: Settings): Promise<PlannedTokens> {
  const { context, described, actor, problems } = planning;
  const planned: PlannedTokens = { steps: [], same: 0, left: [], leaving: new Map() };
  const usernames = [...new Set(described.tokens.map(({ value }) => value.user.trim()))];
  const users = await context.db.collection('users').find({ username: { in: usernames } });
  const owners = new Map(users.filter(({ DeletedAt: deleted }) => deleted === null).map((user) => [user.username, user]));
  const wanted = new Set<number>();
  const keys = new Set<string>();
  const created = new Map<UserRecord, TokenEntry[]>();
  for (const entry of described.tokens) {
    const owner = owners.get(entry.value.user.trim());
    if (owner === undefined) {
      problems.push({
        ...placeIn(entry, 'user'),
        text: fieldSentence('user', { zh: '是不存在的用户', en: 'is a user who does not exist' }),
      });
      continue;
    }
    if (!(await mayPlanFor(context, actor, owner))) {
      problems.push({ ...placeIn(entry, 'user'), text: refusalText(new AppError('forbidden')) });
      continue;
    }
    const found = await context.db
      .collection('tokens')
      .find({ user_id: owner.id, DeletedAt: null, name: tidyTokenName(entry.value.name) }, { limit: 2 });
    if (found[0] !== undefined) wanted.add(found[0].id);
    const step = await planToken(planning, entry, { settings, owner, found, leaving: planned.leaving });
    const key = entry.value.key === undefined ? undefined : bareKey(entry.value.key);
    if (key !== undefined && keys.has(key)) problems.push({ ...placeIn(entry, 'key'), text: fieldSentence('key', keyTexts.twice) });
    if (key !== undefined) keys.add(key);
    if (found[0] === undefined) created.set(owner, [...(created.get(owner) ?? []), entry]);
    if (step === null) planned.same += 1;
    else if (step !== undefined) planned.steps.push(onBehalfOf(planning, owner, step, entry.value.name));
  }
  for (const [owner, entries] of created) {
    const last = entries.at(-1);
    await requireTokenCapacity(context, owner, entries.length).catch((failure: unknown) => {
      if (!(failure instanceof AppError) || last === undefined) throw failure;
      problems.push({ ...last.place, text: refusalText(failure) });
    });
  }
  await planLeft(planning, planned, wanted);
  return planned;
}

/** What these files managed before and do not describe any more. */
async function planLeft(planning: Planning, planned: PlannedTokens, wanted: ReadonlySet<number>): Promise<void> {
  const { context, by, prunes, actor, problems } = planning;
  for await (const token of context.db.collection('tokens').each({ managed_by: by })) {
    if (token.DeletedAt !== null || wanted.has(token.id)) continue;
    const owner = await context.db.collection('users').get(token.user_id);
    const name = `${owner?.username ?? token.user_id}/${token.name}`;
    if (owner !== null && !(await mayPlanFor(context, actor, owner))) {
      // Neither does the applier read names of tokens of users above.
      if (prunes)
        problems.push({
          file: token.managed?.file ?? '',
          line: 1,
          column: 1,
          path: 'tokens',
          text: refusalText(new AppError('forbidden')),
        });
    } else if (!prunes) planned.left.push({ kind: 'token', name });
    else {
      planned.steps.push(onBehalfOf(planning, owner, deletion(planning, token, name), token.name));
      planned.leaving.set(token.group, (planned.leaving.get(token.group) ?? 0) + 1);
    }
  }
}

/** Records the step for those who may read changes of the owner's tokens, and in the log of an owner who is another than who applies the files. */
function onBehalfOf({ context, actor }: Planning, owner: UserRecord | null, { run, ...step }: Step, token: string): Step {
  return {
    ...step,
    async run(applying) {
      await actingOn(owner?.role ?? Role.root, async () => run?.(applying));
      const row = rowsOf[step.action];
      if (owner === null || owner.id === actor.id || row === undefined) return;
      await report(context, actor, owner, { content: row.content(token), event: { code: row.code, token } });
    },
  };
}

const rowsOf: Partial<
  Record<Step['action'], { code: 'token_created' | 'token_changed' | 'token_deleted'; content(token: string): string }>
> = {
  created: { code: 'token_created', content: (token) => `管理员通过配置文件创建了令牌 ${token}` },
  changed: { code: 'token_changed', content: (token) => `管理员通过配置文件修改了令牌 ${token}` },
  deleted: { code: 'token_deleted', content: (token) => `管理员删除了令牌 ${token}` },
};

interface Found {
  settings: Settings;
  owner: UserRecord;
  found: readonly TokenRecord[];
  leaving: Map<string, number>;
}

async function planToken(
  planning: Planning,
  entry: TokenEntry,
  { settings, owner, found, leaving }: Found,
): Promise<Step | null | undefined> {
  const { problems } = planning;
  const { name, value } = entry;
  const [record, second] = found;
  if (second !== undefined) {
    problems.push({ ...entry.place, text: fieldSentence(name, { zh: '是多个令牌的名称', en: 'is the name of several tokens' }) });
    return undefined;
  }
  if (isOthers(planning, record?.managed, entry)) return undefined;
  try {
    const key = value.key === undefined ? undefined : await checkKey(planning, value.key, record);
    const left = [...(value.status === undefined ? ['status'] : []), ...(key === undefined ? ['key'] : [])];
    const mark = markOf(planning, entry, left);
    const input = inputOf(value);
    const desired = { ...defaultTokenFields, ...checkTokenFields(input) };
    if (record === undefined) {
      checkTokenGroup(settings, owner, desired.group);
      checkAutoGroups(settings, owner, desired.auto_groups);
      return creation(planning, entry, { owner, input, key, mark });
    }
    if (desired.group !== record.group) {
      checkTokenGroup(settings, owner, desired.group);
      leaving.set(record.group, (leaving.get(record.group) ?? 0) + 1);
    }
    if ((desired.auto_groups ?? '') !== (record.auto_groups ?? '')) checkAutoGroups(settings, owner, desired.auto_groups);
    // What a user above the owner has set stays, also where the owner applies files.
    if (isOwn(planning, owner)) checkHeldLimits(record, checkTokenFields(input), { changesQuota: false });
    return edit(planning, entry, { owner, input, key, mark, record, desired });
  } catch (failure) {
    if (!(failure instanceof AppError)) throw failure;
    const place = placeIn(entry, failure.field === 'model_limits' ? 'models' : failure.field);
    problems.push({ ...place, text: refusalText(failure) });
    return undefined;
  }
}

interface Intended {
  owner: UserRecord;
  input: TokenCreate;
  key: string | undefined;
  mark: ManagedMark;
}

function creation({ context, actor }: Planning, entry: TokenEntry, { owner, input, key, mark }: Intended): Step {
  const { value } = entry;
  const shown = Object.entries(input).filter(([field, one]) => field !== 'name' && !isSame(Reflect.get(defaultTokenFields, field), one));
  return {
    kind: 'token',
    name: entry.name,
    action: 'created',
    place: entry.place,
    fields: [
      ...shown.map(([field, one]) => fieldOf(nameInFile(field), undefined, one, entry.referenced.has(nameInFile(field)))),
      fieldOf('key', undefined, undefined, true),
    ],
    revision: 0,
    async run(applying) {
      const made = key ?? context.randomText(keyLength);
      const whole = { user: owner.username, name: value.name, key: `sk-${made}` };
      if (key === undefined) await applying.onKey(whole);
      const [token] = await createTokens(
        context,
        owner,
        { ...input, remain_quota: value.initial_quota ?? 0 },
        { key: made, managed: mark, actorId: actor.id },
      );
      if (key === undefined) applying.keys.push(whole);
      if (token !== undefined && value.status === 'disabled')
        await editTokenStatus(context, owner, { id: token.id, status: TokenStatus.disabled });
    },
  };
}

function edit(
  { context, actor }: Planning,
  entry: TokenEntry,
  { owner, input, key, mark, record, desired }: Intended & { record: TokenRecord; desired: object },
): Step | null {
  const fields = Object.entries(desired)
    .filter(([field, one]) => field !== 'remain_quota' && !isSame(Reflect.get(record, field), one))
    .map(([field, one]) => fieldOf(nameInFile(field), Reflect.get(record, field), one, entry.referenced.has(nameInFile(field))));
  const isEdited = fields.length > 0;
  const isNewKey = key !== undefined && context.secrets.hash(key) !== record.key_hash;
  if (isNewKey) fields.push(fieldOf('key', undefined, undefined, true));
  // A block by an administrator, of the site or the organisation, is no drift: the file does not end it.
  const isBlocked = record.blocked_reason !== undefined || record.member_stop !== undefined;
  const status = isBlocked ? undefined : statusFor(entry.value.status, record.status);
  if (status !== undefined)
    fields.push(fieldOf('status', record.status === TokenStatus.disabled ? 'disabled' : 'enabled', entry.value.status));
  if (fields.length === 0 && isSameMark(record.managed, mark)) return null;
  const { id, revision } = record;
  return {
    kind: 'token',
    name: entry.name,
    action: fields.length === 0 ? 'managed' : 'changed',
    place: entry.place,
    fields,
    revision,
    async run() {
      let current = revision;
      if (isNewKey) current = (await renewToken(context, owner, { id, key, old_key_seconds: 0, revision: current })).revision;
      if (status !== undefined) current = (await editTokenStatus(context, owner, { id, status, revision: current })).revision;
      await editToken(
        context,
        owner,
        { ...(isEdited ? input : {}), id, revision: current },
        { by: isOwn({ actor }, owner) ? undefined : { actorId: actor.id, present: () => undefined }, mark },
      );
    },
  };
}

function deletion({ context }: Planning, { id, user_id: userId, revision, managed }: TokenRecord, name: string): Step {
  const tokens = context.db.collection('tokens');
  return deletionOf(
    'token',
    { name, revision, managed },
    {
      read: () => tokens.get(id),
      async remove() {
        await deleteTokens(context, userId, [id]);
        // A restored token is its owner's again.
        await tokens.patch({ id }, { unset: ['managed', 'managed_by'] });
      },
    },
  );
}

/** The body that the console's form would send. */
function inputOf(value: DescribedToken): TokenCreate {
  const { models = [], allow_ips = [], auto_groups = [] } = value;
  return {
    name: value.name,
    expired_time: value.expired_time ?? -1,
    unlimited_quota: value.unlimited_quota ?? false,
    model_limits_enabled: models.length > 0,
    model_limits: models.join(','),
    allow_ips: allow_ips.join('\n'),
    group: value.group ?? '',
    auto_groups: auto_groups.join(','),
    cross_group_retry: value.cross_group_retry ?? false,
    session_budget: value.session_budget ?? 0,
    rate_limits: value.rate_limits ?? [],
    budgets: value.budgets ?? [],
  };
}

async function mayPlanFor(context: Planning['context'], actor: Planning['actor'], owner: UserRecord): Promise<boolean> {
  return owner.id === actor.id || (mayActOn(actor.role, owner.role) && (await isAboveOwners(context, actor, owner, true)));
}

function isOwn({ actor }: Pick<Planning, 'actor'>, owner: UserRecord): boolean {
  return actor.id === owner.id && !mayActOn(actor.role, owner.role);
}

function nameInFile(field: string): string {
  return field === 'model_limits' || field === 'model_limits_enabled' ? 'models' : field;
}

function isSame(one: unknown, other: unknown): boolean {
  const isEmpty = (value: unknown) =>
    value === undefined || value === '' || value === 0 || value === false || (Array.isArray(value) && value.length === 0);
  return one === other || (isEmpty(one) && isEmpty(other));
}

/** Undefined: as it is. */
function statusFor(wanted: DescribedToken['status'], current: number): number | undefined {
  if (wanted === 'disabled' && current !== TokenStatus.disabled) return TokenStatus.disabled;
  return wanted === 'enabled' && current === TokenStatus.disabled ? TokenStatus.enabled : undefined;
}

/** Bare key. @throws {AppError} if it could be guessed, or belongs to another token */
async function checkKey({ context }: Planning, text: string, record: TokenRecord | undefined): Promise<string> {
  const key = bareKey(text);
  if (!/^[\w-]+$/.test(key) || key.length < shortestKey || key.length > longestKey) throw invalidField('key', keyTexts.form);
  const found = await findByKey(context, key);
  if (found !== null && found.token.id !== record?.id) throw invalidField('key', keyTexts.taken);
  return key;
}

const keyTexts = {
  form: {
    zh: `必须由 ${shortestKey} 到 ${longestKey} 个字母、数字、- 或 _ 组成`,
    en: `must have ${shortestKey} to ${longestKey} letters, digits, - or _`,
  },
  taken: { zh: '属于另一个令牌，或属于已删除的令牌', en: 'belongs to another token, or to one that was deleted' },
  twice: { zh: '与另一个令牌的密钥相同', en: 'is the key of another token as well' },
} satisfies Record<string, LocalText>;
