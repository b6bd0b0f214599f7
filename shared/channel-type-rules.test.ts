import { expect, test } from 'vitest';
import { otherProblem, typedKeyProblem } from './channel-type-rules.ts';

test.each([
  [41, '', 'regions_required'],
  [41, ' ', 'regions_required'],
  [41, 'global', undefined],
  [41, 'us-central1', undefined],
  [41, '{"default":"us-central1","claude-sonnet-4-5":"europe-west1"}', undefined],
  [41, '{"claude-sonnet-4-5":"europe-west1"}', 'regions_default'],
  [41, '{"default":"evil.example/"}', 'regions_invalid'],
  [41, '{"default":7}', 'regions_invalid'],
  [41, '{"default"', 'regions_invalid'],
  [41, 'a.example', 'regions_invalid'],
  [1, '', undefined],
  [39, ' ', 'account_required'],
  [39, 'account', undefined],
  [21, '', 'library_required'],
  [21, '5', undefined],
] as const)('the free field of type %i with %j: %j', (type, other, problem) => {
  expect(otherProblem(type, other)).toBe(problem);
});

const account = { type: 'service_account', project_id: 'p', client_email: 'a@b', private_key: 'k' };
const user = { type: 'authorized_user', client_id: 'c', client_secret: 's', refresh_token: 'r', quota_project_id: 'p' };

test.each([
  [41, 'AIzaKey', undefined],
  [41, JSON.stringify(account), undefined],
  [41, JSON.stringify({ ...account, project_id: '' }), 'key_google'],
  [41, JSON.stringify({ ...account, token_uri: 'no address' }), 'key_google'],
  [41, JSON.stringify(user), undefined],
  [41, JSON.stringify({ ...user, quota_project_id: undefined }), 'key_google'],
  [41, '{"type":"external_account"}', 'key_google'],
  [41, '{', 'key_google'],
  [33, 'AKIDEXAMPLE|secret|us-east-1', undefined],
  [33, 'ABSKey|us-east-1', undefined],
  [33, 'ABSKey', 'key_aws'],
  [57, JSON.stringify({ access_token: 'a', account_id: 'c', refresh_token: 'r' }), undefined],
  [57, JSON.stringify({ OPENAI_API_KEY: null, tokens: { access_token: 'a', account_id: 'c' }, last_refresh: 'x' }), undefined],
  [57, JSON.stringify({ access_token: 'a' }), 'key_codex'],
  [57, JSON.stringify({ access_token: 'a b', account_id: 'c' }), 'key_codex'],
  [57, 'sk-key', 'key_codex'],
  [1, '{', undefined],
  [45, 'app|token', undefined],
  [54, 'key', undefined],
  [54, 'app|token', 'key_form'],
  [15, 'key|secret', undefined],
  [15, 'key | secret', undefined],
  [15, 'key', 'key_form'],
  [15, 'key|', 'key_form'],
  [15, 'key|secret|more', 'key_form'],
  [16, 'id.secret', undefined],
  [16, 'id', 'key_form'],
  [18, 'app|secret|key', undefined],
  [18, 'password', undefined],
  [18, 'app|secret', 'key_form'],
  [22, 'fastgpt-0sp2-64f3', undefined],
  [23, 'app|id|secret', undefined],
  [23, 'id|secret', undefined],
  [23, 'sk-token-hub', 'key_form'],
  [26, 'a.b.c', 'key_form'],
  [46, 'bce-v3/ALTAK-a/b', undefined],
  [46, 'bce-v3/ALTAK-a/b|app-1', undefined],
  [46, 'bce-v3/ALTAK-a/b|', 'key_form'],
  [50, 'api-key', undefined],
  [50, 'access|secret', undefined],
  [50, '|secret', 'key_form'],
  [51, 'access|secret', undefined],
  [51, 'access', 'key_form'],
] as const)('a key of type %i, %s: %j', (type, key, problem) => {
  expect(typedKeyProblem(type, key)).toBe(problem);
});
