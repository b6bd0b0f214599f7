import { expect, test } from 'vitest';
import { defaultSettings } from '#tests/support/default-settings.ts';
import { clientDialects, upstreamDialects } from './registry.ts';
import { translationTable } from './translation-table.ts';

const models: Readonly<Record<string, string>> = { claude: 'claude-sonnet-4-5', 'openai-chat': 'gpt-4o' };

test.each(translationTable)('$from → $to: $field is $treatment', ({ from, to, field, treatment, example, model }) => {
  const client = Object.values(clientDialects).find(({ name }) => name === from);
  const upstream = Object.values(upstreamDialects).find(({ name }) => name === to);
  const write = () => {
    const body = { model: 'm', max_tokens: 4096, messages: [{ role: 'user', content: 'Hello' }], ...example };
    const request = client?.readRequest(body);
    if (request === undefined) throw new Error(`There is no client dialect ${from}`);
    const upstreamModel = model ?? models[to] ?? '';
    return upstream?.writeRequest(request, { upstreamModel, forceUsage: false, settings: defaultSettings }).dropped;
  };
  if (treatment === 'refused') expect(write).toThrow(expect.objectContaining({ code: 'untranslatable', field }));
  else expect(write()).toContain(field);
});
