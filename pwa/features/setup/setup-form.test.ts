import { expect, test } from 'vitest';
import { emptySetup, setupBody, setupProblems } from './setup-form.ts';

const filled = { ...emptySetup, username: 'ops', password: 'tidegate-ops', confirmPassword: 'tidegate-ops' };

test('set-up: an existing administrator is neither asked for nor sent', () => {
  const needs = { needsAccount: false, needsSecret: false };
  expect(setupProblems(emptySetup, needs)).toEqual({});
  expect(setupBody({ ...filled, mode: 'self' }, needs)).toEqual({ SelfUseModeEnabled: true, DemoSiteEnabled: false });
});

test('set-up: every missing answer is named at its field', () => {
  const needs = { needsAccount: true, needsSecret: true };
  expect(setupProblems({ ...emptySetup, confirmPassword: 'x' }, needs)).toEqual({
    username: 'username_required',
    password: 'password_short',
    confirmPassword: 'passwords_differ',
    setup_secret: 'secret_required',
  });
});

test.each([
  ['external', { SelfUseModeEnabled: false, DemoSiteEnabled: false }],
  ['self', { SelfUseModeEnabled: true, DemoSiteEnabled: false }],
  ['demo', { SelfUseModeEnabled: false, DemoSiteEnabled: true }],
] as const)('set-up: mode %s as the two switches that the server knows', (mode, switches) => {
  expect(setupBody({ ...filled, mode }, { needsAccount: true, needsSecret: false })).toEqual({
    username: 'ops',
    password: 'tidegate-ops',
    confirmPassword: 'tidegate-ops',
    ...switches,
  });
});
