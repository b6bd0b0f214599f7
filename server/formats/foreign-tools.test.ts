// Hosted and vendor-only tools in calls of other formats: dropped and reported if offered, rejected if forced or if only the provider could
// answer their calls. None is lost silently.
import { describe, expect, test } from 'vitest';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import type { ClientDialect } from './client-dialect.ts';
import { encodeRequest } from './encode-request.ts';
import { clientDialects } from './registry.ts';

type Json = Record<string, unknown>;

interface Offered {
  what: string;
  from: keyof typeof clientDialects;
  body: Json;
  /** Field names as the caller knows them. */
  field: string;
  outcome: 'dropped' | 'refused';
}

const messages = [{ role: 'user', content: 'Hello' }];
const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];
const chat = (tool: Json, rest: Json = {}) => ({ messages, tools: [tool], ...rest });
const claude = (tool: Json, rest: Json = {}) => ({ max_tokens: 99, messages, tools: [tool], ...rest });
const responses = (tool: Json, rest: Json = {}) => ({ input: 'Hello', tools: [tool], ...rest });
const gemini = (tool: Json) => ({ contents, tools: [tool] });
const mcp = { type: 'mcp', server_label: 'a', server_url: 'https://mcp.example' };
const offered = { outcome: 'dropped', field: 'tools.0' } as const;

const table: readonly Offered[] = [
  { what: 'file search', from: 'openai-chat', body: chat({ type: 'file_search' }), ...offered },
  { what: 'images', from: 'openai-chat', body: chat({ type: 'image_generation' }), ...offered },
  { what: 'MCP', from: 'openai-chat', body: chat(mcp), ...offered },
  { what: 'file search', from: 'openai-responses', body: responses({ type: 'file_search' }), ...offered },
  ...[
    { from: 'openai-responses' as const, tool: { type: 'file_search', vector_store_ids: ['vs_1'] }, ask: responses },
    { from: 'openai-mixed' as const, tool: { type: 'file_search', vector_store_ids: ['vs_1'] }, ask: responses },
    { from: 'openai-chat' as const, tool: { type: 'file_search', file_search: { vector_store_ids: ['vs_1'] } }, ask: chat },
  ].map(({ from, tool, ask }) => ({
    what: 'search in a store',
    from,
    body: ask(tool),
    outcome: 'refused' as const,
    field: 'tools.0',
  })),
  { what: 'images', from: 'openai-responses', body: responses({ type: 'image_generation' }), ...offered },
  { what: 'MCP', from: 'openai-responses', body: responses(mcp), outcome: 'refused', field: 'tools.0.type' },
  {
    what: 'computer use',
    from: 'openai-responses',
    body: responses({ type: 'computer_use_preview' }),
    outcome: 'refused',
    field: 'tools.0.type',
  },
  { what: 'a shell', from: 'openai-responses', body: responses({ type: 'local_shell' }), outcome: 'refused', field: 'tools.0.type' },
  {
    what: 'images that have to be used',
    from: 'openai-responses',
    body: responses({ type: 'image_generation' }, { tool_choice: { type: 'image_generation' } }),
    outcome: 'refused',
    field: 'tool_choice',
  },
  {
    what: 'computer use',
    from: 'claude',
    body: claude({ type: 'computer_20250124', name: 'computer' }),
    outcome: 'refused',
    field: 'tools.0.type',
  },
  { what: 'a shell', from: 'claude', body: claude({ type: 'bash_20250124', name: 'bash' }), outcome: 'refused', field: 'tools.0.type' },
  {
    what: 'MCP',
    from: 'claude',
    body: { max_tokens: 9, messages, mcp_servers: [{ type: 'url', url: 'https://mcp.example', name: 'a' }] },
    outcome: 'refused',
    field: 'mcp_servers',
  },
  {
    what: 'file search',
    from: 'gemini',
    body: gemini({ fileSearch: { fileSearchStoreNames: ['a'] } }),
    outcome: 'dropped',
    field: 'tools.0.fileSearch',
  },
  { what: 'maps', from: 'gemini', body: gemini({ googleMaps: {} }), outcome: 'dropped', field: 'tools.0.googleMaps' },
  { what: 'computer use', from: 'gemini', body: gemini({ computerUse: {} }), outcome: 'refused', field: 'tools.0.computerUse' },
  { what: 'images', from: 'openai-mixed', body: responses({ type: 'image_generation' }), ...offered },
];

const upstreams = [
  { to: 'openai-chat', model: 'gpt-4o', channel: { type: 1, setting: '{"formats":["openai-chat"]}' } },
  { to: 'openai-responses', model: 'gpt-4o', channel: { type: 1, setting: '{"formats":["openai-responses"]}' } },
  { to: 'claude', model: 'claude-sonnet-4-5', channel: { type: 14 } },
  { to: 'gemini', model: 'gemini-2.5-flash', channel: { type: 24, setting: '{"formats":["gemini"]}' } },
];

describe.each(upstreams)('before $to', ({ to, model, channel }) => {
  const foreign = table.filter(({ from }) => from !== to);
  test.each(foreign)('$what of $from is $outcome, by name', ({ from, body, field, outcome }) => {
    const client: ClientDialect = clientDialects[from];
    const route = buildPreparedChannel({ base_url: 'https://up.example', ...channel }).route(client, 'chat', model);
    if (route === null) throw new Error('There is no such way');
    const requested = { model, ...body };
    const input = { client, route, clientHeaders: {}, body: requested, rawText: JSON.stringify(requested), originModel: model };
    const encode = () => encodeRequest({ ...input, isStream: false, forceUsage: true, settings: defaultSettings });
    if (outcome === 'refused') return expect(encode).toThrow(expect.objectContaining({ code: 'untranslatable', field }));
    const encoded = encode();
    expect(encoded.dropped).toContain(field);
    expect(encoded.body.toString()).not.toMatch(/file_?search|image_generation|maps|mcp/i);
  });
});
