import { describe, expect, it } from 'vitest';
import { appRefOf, callbackPlace, callbackWith, readAppRequest, tidyAppName, tidyUserCode } from './app-authorizations.ts';

const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const standard = {
  response_type: 'code',
  client_id: 'notes',
  redirect_uri: 'https://notes.example/cb',
  code_challenge: challenge,
  code_challenge_method: 'S256',
};
const read = (fields: Record<string, string>, form: 'oauth' | 'openrouter' = 'oauth') => readAppRequest(form, new URLSearchParams(fields));

describe('callbacks', () => {
  it.each([
    ['https://notes.example/cb?x=1', 'web', 'notes.example'],
    ['https://notes.example:8443/', 'web', 'notes.example:8443'],
    ['https://nоtes.example/', undefined, undefined],
    ['https://xn--ntes-m9d.example/', 'web', 'xn--ntes-m9d.example'],
    ['http://127.0.0.1:8976/cb', 'loopback', '127.0.0.1:8976'],
    ['http://localhost:3000', 'loopback', 'localhost:3000'],
    ['http://[::1]:3000/cb', 'loopback', '[::1]:3000'],
    ['http://127.1:3000/cb', 'loopback', '127.0.0.1:3000'],
    ['com.example.notes:/cb', 'scheme', 'com.example.notes:'],
    ['vscode://publisher.extension/cb', 'scheme', 'vscode:'],
  ])('%s is a place of kind %s', (callback, kind, shown) => {
    expect(callbackPlace(callback)).toEqual(kind === undefined ? undefined : { kind, shown });
  });

  it.each([
    'javascript:alert(1)//',
    'javascript://notes.example/%0aalert(1)',
    'JavaScript:alert(1)',
    'java\nscript:alert(1)',
    ' javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'http://notes.example/cb',
    'http://127.0.0.1.evil.example/',
    'http://localhost.evil.example/',
    'http://127.0.0.1@evil.example/',
    'https://user:word@notes.example/',
    'https:notes.example',
    'https:/notes.example',
    'https:///notes.example',
    'https:\\\\notes.example',
    'https://notes.example\\@evil.example/',
    'https://notes.example/#x',
    'https://notes.example/ x',
    'https://notes.example/?code=mine',
    'https://notes.example/?iss=mine',
    'file:///etc/passwd',
    'blob:https://notes.example/1',
    'about:blank',
    'view-source:https://notes.example',
    'intent://x#Intent;end',
    'mailto:a@notes.example',
    'ms-settings:x',
    'myapp://cb',
    '//notes.example/',
    '/token',
    '',
    `https://notes.example/${'x'.repeat(2000)}`,
  ])('%s receives no code', (callback) => {
    expect(callbackPlace(callback)).toBeUndefined();
  });

  it('retain their own parameters', () => {
    expect(callbackWith('https://a.example/cb?x=%20y', { code: 'c', state: undefined, iss: 'https://b.example' })).toBe(
      'https://a.example/cb?x=%20y&code=c&iss=https%3A%2F%2Fb.example',
    );
  });
});

describe('requests', () => {
  it('of both forms are read', () => {
    expect(read({ ...standard, state: '1e3', client_name: ' No\u202etes ' })).toEqual({
      request: { form: 'oauth', client: 'notes', name: 'Notes', challenge, callback: 'https://notes.example/cb', state: '1e3' },
      wishes: {},
    });
    const theirs = { callback_url: 'https://notes.example/cb', code_challenge: challenge, code_challenge_method: 'S256' };
    expect(read({ ...theirs, key_label: 'Notes', limit: '2.5', expires_at: '2030-01-01T00:00:00Z' }, 'openrouter')).toEqual({
      request: { form: 'openrouter', client: '', name: 'Notes', challenge, callback: 'https://notes.example/cb' },
      wishes: { usd: 2.5, expiry: 1_893_456_000 },
    });
    expect(read({ ...theirs, limit: '-1', expires_at: 'soon' }, 'openrouter')).toMatchObject({
      request: { name: 'notes.example' },
      wishes: {},
    });
  });

  it.each([
    [{ redirect_uri: '' }, 'callback_missing'],
    [{ redirect_uri: 'javascript:alert(1)' }, 'callback_refused'],
    [{ client_id: '' }, 'client_missing'],
    [{ response_type: 'token' }, 'response_type'],
    [{ code_challenge: '' }, 'challenge_missing'],
    [{ code_challenge_method: 'plain' }, 'challenge_plain'],
    [{ code_challenge_method: '' }, 'challenge_plain'],
    [{ code_challenge: 'short' }, 'challenge_malformed'],
    [{ state: 'x'.repeat(2001) }, 'too_long'],
  ])('with %j are refused: %s', (fields, problem) => {
    const refused = read({ ...standard, ...fields });
    expect(refused.problem).toBe(problem);
    // Nothing leads to an address that was refused.
    if (problem.startsWith('callback')) expect(refused).not.toHaveProperty('callback');
  });

  it('with a parameter twice are refused', () => {
    expect(readAppRequest('oauth', new URLSearchParams(`${new URLSearchParams(standard)}&redirect_uri=https://evil.example`))).toEqual({
      problem: 'repeated',
    });
  });
});

it('an application is recognised by its site; a program by the name that it gives', () => {
  const ref = (callback: string, client = 'c') => appRefOf({ callback, client, name: 'N' });
  expect(ref('https://a.example/one')).toBe(ref('https://a.example/two', 'other'));
  expect(ref('https://a.example:444/')).not.toBe(ref('https://a.example/'));
  expect(ref('http://localhost:1/')).toBe(ref('http://127.0.0.1:2/'));
  expect(new Set([ref('http://localhost:1/'), ref('com.example.c:/'), ref('')]).size).toBe(3);
});

it('names have no characters that hide or turn others', () => {
  expect(tidyAppName('\u202eedoC edualC\u200b \u3164\n x')).toBe('edoC edualC x');
  expect(Array.from(tidyAppName('💰'.repeat(100)))).toHaveLength(60);
});

it('user codes are read as they are typed', () => {
  expect([tidyUserCode('bcdf-ghjk'), tidyUserCode(' BCDF GHJK '), tidyUserCode('BCDFGHJ'), tidyUserCode('ABCDFGHJ')]).toEqual([
    'BCDFGHJK',
    'BCDFGHJK',
    undefined,
    undefined,
  ]);
});
