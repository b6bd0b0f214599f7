// Current content types of requests, sent to other vendors' models.
import { expect, test } from 'vitest';
import { readRequest } from './read-request.ts';

const toolOf = (name: string) => ({ name, input_schema: { type: 'object' } });
const question = { role: 'user', content: 'When is high water?' };
const system = (...content: object[]) => ({ role: 'system', content });
const addition = (tool: object) => ({ type: 'tool_addition', tool });
const removal = (name: string) => ({ type: 'tool_removal', tool: { type: 'tool_reference', name } });
const bodyOf = (messages: object[], fields: object = {}) => ({ model: 'm', max_tokens: 50, messages, ...fields });
const namesIn = (messages: object[], tools = ['tide', 'port']) =>
  readRequest(bodyOf(messages, { tools: tools.map(toolOf) })).tools.map(({ name }) => name);

test('claude: the tools are those after all changes in the conversation', () => {
  const defined = addition({ type: 'tool_definition', definition: toolOf('moon') });
  expect(namesIn([question])).toEqual(['tide', 'port']);
  expect(namesIn([question, system(removal('tide'), defined)])).toEqual(['port', 'moon']);
  const again = addition({ type: 'tool_reference', name: 'tide' });
  expect(namesIn([question, system(removal('tide')), question, system(again)])).toEqual(['tide', 'port']);
  // The last definition applies.
  const other = { ...toolOf('tide'), description: 'Of today' };
  const request = readRequest(
    bodyOf([question, system(addition({ type: 'tool_definition', definition: other }))], { tools: [toolOf('tide')] }),
  );
  expect(request.tools).toMatchObject([{ name: 'tide', description: 'Of today' }]);
});

test('claude: a message that only changes tools is omitted; its text stays', () => {
  const text = { type: 'text', text: 'The tide tables are gone.' };
  expect(readRequest(bodyOf([question, system(removal('tide'))], { tools: [toolOf('tide')] })).messages).toHaveLength(1);
  const { messages } = readRequest(bodyOf([question, system(text, removal('tide'))], { tools: [toolOf('tide')] }));
  expect(messages).toMatchObject([{}, { role: 'system', content: [text] }]);
});

test('claude: instructions for one turn are omitted later, but their tool changes stay', () => {
  const once = { ...system({ type: 'text', text: 'Be brief.' }, removal('tide')), clear_at: 'next_user_message' };
  const tools = { tools: [toolOf('tide'), toolOf('port')] };
  const during = readRequest(bodyOf([question, once], tools));
  expect(during.messages.map(({ role }) => role)).toEqual(['user', 'system']);
  const after = readRequest(bodyOf([question, once, { role: 'assistant', content: 'Noon.' }, question], tools));
  expect(after.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  expect(after.tools).toHaveLength(1);
});

test('claude: a summary includes the tool changes before it', () => {
  const block = { type: 'compaction', content: 'They asked.', tool_changes: [removal('port')] };
  const messages = [question, system(removal('tide')), { role: 'assistant', content: [block] }, question];
  expect(namesIn(messages)).toEqual(['tide']);
});

test('claude: tool changes of an MCP server are refused by their path', () => {
  const tool = { type: 'mcp_tool_reference', server_name: 'a', name: 'b' };
  expect(() => readRequest(bodyOf([question, system(addition(tool))]))).toThrow(
    expect.objectContaining({ code: 'untranslatable', field: 'messages.1.content.0.tool.type' }),
  );
});

test('claude: fallback and MCP listing blocks are ignored', () => {
  const content = [
    { type: 'fallback', from: { model: 'a' }, to: { model: 'b' } },
    { type: 'mcp_tool_listing', mcp_server_name: 'a', tools: [] },
    { type: 'text', text: 'At noon.' },
  ];
  const { messages } = readRequest(bodyOf([question, { role: 'assistant', content }, question]));
  expect(messages[1]).toMatchObject({ role: 'assistant', content: [{ type: 'text', text: 'At noon.' }] });
});

test('claude: the state of a browser is a text to other models', () => {
  const tabs = [
    { tab_id: 't1', title: 'Tides', url: 'https://example.com/', active: true },
    { tab_id: 't2', title: '', url: '' },
  ];
  const state = { type: 'browser_state', tabs, state_changes: [{ type: 'tab_opened', tab_id: 't2' }] };
  const call = { type: 'tool_use', id: 'toolu_1', name: 'navigate', input: {}, toolset_name: 'browser' };
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'Done.' }, state] };
  const { messages } = readRequest(bodyOf([question, { role: 'assistant', content: [call] }, { role: 'user', content: [result] }]));
  const text = [
    'Open tabs of the browser:',
    't1 (active): Tides https://example.com/',
    't2: ',
    'What has changed:',
    '{"type":"tab_opened","tab_id":"t2"}',
  ].join('\n');
  expect(messages[2]?.content).toMatchObject([{ type: 'tool_result', content: [{ text: 'Done.' }, { type: 'text', text }] }]);
});

test('claude: unsupported members of a known field are reported', () => {
  const named = (fields: object) => readRequest(bodyOf([question], fields)).extras.map(({ name }) => name);
  expect(named({ output_config: { effort: 'low', task_budget: { type: 'tokens', total: 9 } } })).toEqual(['output_config.task_budget']);
  const tools = [{ ...toolOf('tide'), input_examples: [{}], defer_loading: true, allowed_callers: ['direct'] }];
  expect(named({ tools })).toEqual(['tools.0.input_examples']);
  expect(named({ tools: [{ ...toolOf('tide'), allowed_callers: ['code_execution_20260120'] }] })).toEqual(['tools.0.allowed_callers']);
});
