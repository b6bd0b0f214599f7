// Agents as people run them, each with an environment of its own: it reads a file by its own tools, before upstreams of every format, with
// a refusal for too many requests and a stream that breaks off on the way.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agents, codexWithCommand, type Place } from './agents.ts';
import { formats, model, openScene, spoken } from './open-scene.ts';

/** What is not for this machine comes here, and goes no further. */
const elsewhere: string[] = [];
const outside = createServer((request, response) => {
  elsewhere.push(request.url ?? '');
  response.writeHead(403).end();
});
outside.on('connect', (request, socket) => {
  socket.on('error', () => {});
  elsewhere.push(request.url ?? '');
  socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
});
beforeAll(() => new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise<void>((resolve) => void outside.close(() => resolve())));

const cases = agents
  .filter(({ caller }) => spoken.includes(caller))
  .flatMap((agent) => formats.map((format) => ({ name: agent.name, agent, format })));

describe.each(cases)('$name, before $format', ({ agent, format }) => {
  test('reads a file by its own tools, after 429 and a stream that breaks off', async () => {
    const home = mkdtempSync(join(tmpdir(), 'tidegate-agent-'));
    const work = join(home, 'work');
    mkdirSync(work);
    writeFileSync(join(work, 'tide.txt'), 'High water is at half past five.\n');
    await using scene = await openScene(format, agent.model);
    const place: Place = { home, work, origin: scene.app.origin, key: scene.key };
    const answers = { toolCalls: [agent.readFile(join(work, 'tide.txt'))], text: 'It is at half past five, says the file.' };
    scene.upstream.behave(answers);
    scene.upstream.queue({ status: 429, retryAfter: 1 }, { ...answers, cutAfter: format === 'gemini' ? 0 : 2, chunkDelay: 5 });
    elsewhere.length = 0;
    const start = () => run(agent.command(place), { ...agent.environment(place), ...common(home) }, work);
    let reported = await start();
    if (agent.endsWhereStreamsBreak === true && !reported.includes(answers.text)) {
      expect(reported).toContain('The answer of the upstream broke off');
      reported = await start();
    }
    const sent = scene.upstream.requests.map(({ text }) => text);
    expect(reported).toContain(answers.text);
    // What its tool read went back to the model.
    expect(sent.some((text) => text.includes('High water is at half past five.'))).toBe(true);
    expect(sent.length).toBeGreaterThanOrEqual(4);
    // All of it belongs to a session of its client.
    expect((await scene.logs(2)).map(({ session_key: session }) => typeof session)).not.toContain('undefined');
    expect(elsewhere.filter((host) => host !== agent.asks)).toEqual([]);
    await scene.checkBooks();
    rmSync(home, { recursive: true, force: true });
  }, 120_000);
});

test('Codex reads the list of models, where its key comes from a command', async () => {
  const home = mkdtempSync(join(tmpdir(), 'tidegate-agent-'));
  await using scene = await openScene('claude', model);
  const { program, config } = codexWithCommand({ home, work: home, origin: scene.app.origin, key: scene.key });
  expect(config).toContain('command');
  const reported = await run([program, 'debug', 'models'], { CODEX_HOME: join(home, '.codex'), ...common(home) }, home);
  const { models } = JSON.parse(reported.slice(reported.indexOf('{"models"')));
  // The whole list was parsed: one invalid entry would make it use its built-in list.
  expect(models).toContainEqual(expect.objectContaining({ slug: model, context_window: 200_000, apply_patch_tool_type: 'freeform' }));
  rmSync(home, { recursive: true, force: true });
}, 60_000);

/** Nothing of the machine's owner, and no way out of it. */
function common(home: string): Record<string, string> {
  const { port } = outside.address() as AddressInfo;
  const proxy = `http://127.0.0.1:${port}`;
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    USERPROFILE: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local/share'),
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_STATE_HOME: join(home, '.local/state'),
    TERM: 'dumb',
    NO_COLOR: '1',
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    http_proxy: proxy,
    https_proxy: proxy,
    NO_PROXY: '127.0.0.1,localhost',
    no_proxy: '127.0.0.1,localhost',
  };
}

/** What it says, on both streams. */
function run([program = '', ...options]: readonly string[], env: Record<string, string>, cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, options, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let reported = '';
    child.stdout.on('data', (data: Buffer) => (reported += data.toString()));
    child.stderr.on('data', (data: Buffer) => (reported += data.toString()));
    const patience = setTimeout(() => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'), 100_000);
    child.on('error', reject);
    child.on('close', () => {
      clearTimeout(patience);
      resolve(reported);
    });
  });
}
