// What any request can meet: bodies, addresses, limits, and a server that is not well.
import { connect } from 'node:net';
import { once } from 'node:events';
import { vi } from 'vitest';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import { testPassword } from '#tests/support/test-app.ts';
import type { ConsoleDesk } from './console-desk.ts';
import { type Refusal, type RefusalRows, type Reported, reportedBy } from './refusal.ts';

const login = async (desk: ConsoleDesk, rawBody: string | Uint8Array, headers: Record<string, string> = {}): Promise<Reported> =>
  reportedBy(
    await desk.guest().post('/api/user/login', undefined, { rawBody, headers: { 'content-type': 'application/json', ...headers } }),
  );

const more = (text: string) => `{"username":"mei","password":"x","more":${text}}`;

/** The database answers every query of the next call with the failure. */
async function whileBroken(desk: ConsoleDesk, failure: Error): Promise<Reported> {
  const client = await desk.member();
  vi.spyOn(desk.app.context.db, 'collection').mockImplementation(() => {
    throw failure;
  });
  const reported = reportedBy(await client.get('/api/user/self'));
  vi.restoreAllMocks();
  return reported;
}

/** Lines that no library sends, and the envelope that comes back. */
async function rawRequest(desk: ConsoleDesk, lines: readonly string[]): Promise<Reported> {
  const socket = connect(desk.app.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write([...lines, `Accept-Language: ${desk.language}`, '', ''].join('\r\n'));
  const pieces: Buffer[] = [];
  for await (const piece of socket) pieces.push(Buffer.from(piece));
  const text = Buffer.concat(pieces).toString();
  const { code, message } = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
  return { status: Number(text.split(' ')[1]), code, message };
}

export const requestRefusals = {
  invalid_parameter: (desk) => login(desk, '[]'),
  invalid_field: async (desk): Promise<Refusal> => ({
    reported: reportedBy(await desk.root.put('/api/option/', { key: 'SystemName', value: { a: 1 } })),
    details: { sentence: { zh: '值（value）必须是文本、数字或 true / false', en: 'value must be a text, a number, or true or false' } },
  }),
  body_empty: (desk) => login(desk, ''),
  invalid_json: async (desk): Promise<Refusal> => ({
    reported: await login(desk, '{"username":\n  "root",}'),
    details: { line: 2, column: 10 },
  }),
  invalid_json_long: (desk) => login(desk, `[${'\n'.repeat(600_000)}`),
  invalid_utf8: (desk) => login(desk, new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])),
  body_too_large: async (desk): Promise<Refusal> => ({
    reported: await login(desk, JSON.stringify({ username: 'x'.repeat(2 * 1024 * 1024), password: testPassword })),
    details: { limit: 1024 * 1024 },
  }),
  body_too_complex: (desk) => login(desk, more(`[${'{},'.repeat(200_000)}{}]`)),
  body_too_deep: async (desk): Promise<Refusal> => ({
    reported: await login(desk, more(`${'['.repeat(100)}1${']'.repeat(100)}`)),
    details: { limit: 100 },
  }),
  unsupported_media_type: (desk) => login(desk, '{}', { origin: 'https://evil.example', 'content-type': 'text/plain' }),
  broken_encoding: async (desk): Promise<Refusal> => ({
    reported: await login(desk, 'not packed', { 'content-encoding': 'gzip' }),
    details: { encoding: 'gzip' },
  }),
  unsupported_encoding: (desk) => login(desk, '{}', { 'content-encoding': 'compress' }),
  invalid_url: async (desk): Promise<Refusal> => ({
    reported: reportedBy(await desk.guest().get('/api/nonsense')),
    details: { method: 'GET', path: '/api/nonsense' },
  }),
  host_missing: (desk) => rawRequest(desk, ['GET /api/status HTTP/1.1']),
  rate_limited: (desk) => {
    const env = { GLOBAL_API_RATE_LIMIT_ENABLE: 'true', GLOBAL_API_RATE_LIMIT: '1', GLOBAL_API_RATE_LIMIT_DURATION: '60' };
    return desk.site({ env }, async (_app, guest) => {
      await guest().get('/api/setup');
      return reportedBy(await guest().get('/api/setup'));
    });
  },
  internal_error: (desk) => whileBroken(desk, new Error('A fault that a test has made')),
  database_unavailable: (desk) => whileBroken(desk, new DatabaseUnavailable('A test has taken the database away')),
  shutting_down: (desk) =>
    desk.site({}, async (app, guest) => {
      app.app.drain();
      return reportedBy(await guest().get('/api/setup'));
    }),
} satisfies RefusalRows<ConsoleDesk>;
