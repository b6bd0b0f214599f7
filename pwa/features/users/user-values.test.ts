import { describe, expect, test } from 'vitest';
import { Role } from '#shared/roles.ts';
import { User } from '#shared/user.ts';
import { actionsFor, refusal } from './user-rules.ts';
import { balanceAfter, changeCount, editBody, newUserProblems, userProblems, valuesOf } from './user-values.ts';

const user = User.parse({
  id: 7,
  username: 'alice',
  password: '',
  display_name: 'Alice',
  role: 1,
  status: 1,
  email: '',
  github_id: '',
  oidc_id: '',
  wechat_id: '',
  telegram_id: '',
  linux_do_id: '',
  quota: 1_000_000,
  used_quota: 250_000,
  request_count: 12,
  full_mark: 2_000_000,
  group: 'default',
  aff_code: '',
  aff_count: 0,
  aff_quota: 0,
  aff_history_quota: 0,
  inviter_id: 0,
  DeletedAt: null,
  setting: '',
  created_time: 1,
  revision: 3,
});

describe('user editor', () => {
  test('an untouched form sends nothing but id and revision', () => {
    expect(editBody(user, valuesOf(user), { revision: 3, quotaRef: 'change-one' })).toEqual({ id: 7, revision: 3 });
    expect(changeCount(user, valuesOf(user))).toBe(0);
  });

  test('a set balance goes with the use it was read with', () => {
    const values = { ...valuesOf(user), mode: 'set' as const, amount: 0 };
    expect(editBody(user, values, { revision: 3, quotaRef: 'change-one' })).toEqual({ id: 7, revision: 3, quota: 0, used_quota: 250_000 });
    expect(changeCount(user, values)).toBe(1);
    expect(balanceAfter(values, user.quota)).toBe(0);
  });

  test('a change of the balance goes as a change', () => {
    const values = { ...valuesOf(user), mode: 'change' as const, amount: -400_000 };
    expect(editBody(user, values, { revision: 3, quotaRef: 'change-one' })).toEqual({
      id: 7,
      revision: 3,
      quota_change: -400_000,
      quota_ref: 'change-one',
    });
    expect(balanceAfter(values, user.quota)).toBe(600_000);
  });

  test('the balance already there and a change of nothing are no edits', () => {
    expect(changeCount(user, { ...valuesOf(user), mode: 'set', amount: user.quota })).toBe(0);
    expect(changeCount(user, { ...valuesOf(user), mode: 'change', amount: 0 })).toBe(0);
  });

  test('what would bring the balance below zero is refused', () => {
    expect(userProblems({ ...valuesOf(user), mode: 'change', amount: -1_000_001 }, user)).toEqual({ amount: 'amount_negative' });
    expect(userProblems({ ...valuesOf(user), mode: 'change', amount: -1_000_000 }, user)).toEqual({});
    expect(userProblems({ ...valuesOf(user), mode: 'set', amount: '' }, user)).toEqual({ amount: 'amount_required' });
    const overdrawn = { ...user, quota: -500 };
    expect(userProblems({ ...valuesOf(overdrawn), mode: 'change', amount: 100 }, overdrawn)).toEqual({});
  });

  test('a name from elsewhere that is too long may stay, a new one may not be', () => {
    const long = { ...user, username: 'somebody-from-elsewhere' };
    expect(userProblems(valuesOf(long), long)).toEqual({});
    expect(userProblems({ ...valuesOf(user), username: 'somebody-from-elsewhere' }, user)).toEqual({ username: 'username_long' });
    expect(userProblems({ ...valuesOf(user), username: 'a@b' }, user)).toEqual({ username: 'username_address' });
  });

  test('a new account needs a name and a password of 8 to 20 characters', () => {
    expect(newUserProblems({ username: ' ', password: '1234567', display_name: '', group: 'default', quota: '' })).toEqual({
      username: 'username_required',
      password: 'password_short',
    });
    expect(newUserProblems({ username: 'bob', password: '12345678', display_name: 'Bob', group: 'default', quota: 0 })).toEqual({});
  });
});

describe('user rules', () => {
  const root = { role: Role.root };
  const admin = { role: Role.admin };
  const target = { role: Role.user, status: 1, DeletedAt: null };

  test('only root promotes, and only those below an admin', () => {
    expect(refusal('promote', admin, target)).toBe('promote_root_only');
    expect(refusal('promote', root, target)).toBeUndefined();
    expect(refusal('promote', root, { ...target, role: Role.admin })).toBe('already_admin');
  });

  test('nobody acts on the same level or above, except root', () => {
    expect(refusal('disable', admin, { ...target, role: Role.admin })).toBe('same_level');
    expect(refusal('demote', root, { ...target, role: Role.admin })).toBeUndefined();
  });

  test('root is not disabled, deleted or demoted, not even by root', () => {
    for (const action of ['disable', 'delete', 'demote'] as const)
      expect(refusal(action, root, { ...target, role: Role.root })).toBe('root_fixed');
  });

  test('a locked account cannot be enabled, a deleted one takes no action', () => {
    expect(refusal('enable', root, { ...target, status: 3 })).toBe('locked');
    expect(refusal('delete', root, { ...target, DeletedAt: '2026-01-01' })).toBe('deleted');
  });

  test('of each pair only the action that changes something is offered', () => {
    expect(actionsFor(target)).toEqual(['promote', 'disable', 'delete']);
    expect(actionsFor({ ...target, role: Role.admin, status: 2 })).toEqual(['demote', 'enable', 'delete']);
  });
});
