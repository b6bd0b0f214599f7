import { describe, expect, test } from 'vitest';
import { clientDialects } from './registry.ts';
import { sessionOfCall } from './session-headers.ts';

const { claude, 'openai-chat': chat, 'openai-responses': responses } = clientDialects;
const uuid = '7a0f1c7e-6f0a-4a55-9d5e-0b6f6f1f2a10';
const other = '11111111-2222-4333-8444-555555555555';
const first = { session: uuid, agent: '', parent: '' };
const read = (dialect: Parameters<typeof sessionOfCall>[0], headers: Record<string, string>, body: Record<string, unknown> = {}) =>
  sessionOfCall(dialect, new Headers(headers), body);

describe('session ids of a call', () => {
  test('Claude Code: in a header, for agents with that of their parent', () => {
    const session = { 'x-claude-code-session-id': uuid };
    expect(read(claude, { 'user-agent': 'claude-cli/2.1.330 (external, sdk-cli)', ...session })).toEqual(first);
    const agent = { ...session, 'x-claude-code-agent-id': 'agent_2', 'x-claude-code-parent-agent-id': 'agent_1' };
    expect(read(claude, agent)).toEqual({ session: uuid, agent: 'agent_2', parent: 'agent_1' });
    // A parent without an agent is ignored.
    expect(read(claude, { ...session, 'x-claude-code-parent-agent-id': 'agent_1' })).toEqual(first);
  });

  test('Claude Code: in its user id, in the current and the former form; a plain user id is not a session', () => {
    const userId = (text: string) => read(claude, {}, { metadata: { user_id: text } });
    expect(userId(JSON.stringify({ device_id: 'd', account_uuid: '', session_id: uuid }))).toEqual(first);
    expect(userId(`user_0123abcd_account__session_${uuid}`)).toEqual(first);
    for (const text of ['u1', '{"session_id":', '{"session_id":1}', '{}', '']) expect(userId(text)).toBeNull();
  });

  test('Codex: in headers, where the first thread is the session itself', () => {
    const turn = { 'session-id': uuid, 'thread-id': uuid, originator: 'codex_exec', 'x-client-request-id': other };
    expect(read(responses, turn, { prompt_cache_key: other })).toEqual(first);
    const agent = { ...turn, 'thread-id': other, 'x-codex-parent-thread-id': uuid };
    expect(read(responses, agent)).toEqual({ session: uuid, agent: other, parent: '' });
    expect(read(responses, { ...agent, 'x-codex-parent-thread-id': 'third' })).toEqual({ session: uuid, agent: other, parent: 'third' });
  });

  test('Codex: in the body, the only place on a socket', () => {
    const reported = { session_id: uuid, thread_id: other, turn_id: 't', 'x-codex-parent-thread-id': 'third' };
    expect(read(responses, {}, { client_metadata: reported })).toEqual({ session: uuid, agent: other, parent: 'third' });
  });

  test('OpenCode: in headers of every format; an agent has a child session', () => {
    const names = { 'x-session-affinity': 'ses_a', 'x-session-id': 'ses_a' };
    for (const dialect of [chat, responses, claude]) expect(read(dialect, names)).toEqual({ session: 'ses_a', agent: '', parent: '' });
    const below = { 'x-session-affinity': 'ses_b', 'x-session-id': 'ses_b', 'session-id': 'ses_b', 'x-parent-session-id': 'ses_a' };
    expect(read(responses, below)).toEqual({ session: 'ses_a', agent: 'ses_b', parent: '' });
  });

  test('Responses: the conversation, or the prompt cache key', () => {
    expect(read(responses, {}, { conversation: 'conv_1', prompt_cache_key: 'k' })?.session).toBe('conv_1');
    expect(read(responses, {}, { conversation: { id: 'conv_2' } })?.session).toBe('conv_2');
    expect(read(responses, {}, { prompt_cache_key: uuid })).toEqual(first);
  });

  test('chat completions: in metadata, in a user id with a session, or the prompt cache key', () => {
    expect(read(chat, {}, { metadata: { session_id: 's1' }, prompt_cache_key: 'k' })?.session).toBe('s1');
    expect(read(chat, {}, { metadata: { conversation_id: 's2' } })?.session).toBe('s2');
    expect(read(chat, {}, { user: `user_1_account__session_${uuid}` })).toEqual(first);
    expect(read(chat, {}, { prompt_cache_key: `qwen-code:${uuid}` })?.session).toBe(`qwen-code:${uuid}`);
    expect(read(chat, {}, { user: 'alice' })).toBeNull();
  });

  test.each(['', ' ', 'a b', 'a\nb', 'ä', 's'.repeat(129), '<script>', 1, null, ['s'], {}])('%j is not an id', (id) => {
    expect(read(chat, {}, { prompt_cache_key: id, metadata: { session_id: id }, user: id })).toBeNull();
    expect(read(responses, {}, { conversation: id, prompt_cache_key: id, client_metadata: id })).toBeNull();
  });

  test('an invalid header does not hide the others', () => {
    const headers = { 'x-claude-code-session-id': 's'.repeat(129), 'x-session-id': 'ses_a' };
    expect(read(claude, headers)?.session).toBe('ses_a');
  });
});
