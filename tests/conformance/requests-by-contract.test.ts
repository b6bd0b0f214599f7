// What goes up of every field that vendors' packages have in requests, before every other format: it changes what is sent, or is named as dropped
// or refused. Otherwise it is lost without a word, and stands here with a reason, or fails by its name. What the table of losses says of a field
// (`docs/translation.md`) is what happens to it.
import { describe, expect, test } from 'vitest';
import { AppError } from '#shared/errors.ts';
import { clientDialects, upstreamDialects } from '#server/formats/registry.ts';
import { fieldsByName } from '#server/formats/request-fields.ts';
import { translationTable } from '#server/formats/translation-table.ts';
import type { UpstreamDialect } from '#server/formats/upstream-dialect.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import { knownModels, plainBodies } from '#tests/support/plain-bodies.ts';
import { samplesOf, wordsLike } from '#tests/support/vendor-samples.ts';
import type { Vendor } from '#tests/support/vendor-schema.ts';

type Body = Readonly<Record<string, unknown>>;

interface Contract {
  client: (typeof clientDialects)[keyof typeof clientDialects];
  vendor: Vendor;
  type: string;
  /** Where its members stand in a body: `generationConfig`; missing: at the top. */
  within?: string;
  /** Members that are lost without a name, by the reason. */
  unnamed: Readonly<Record<string, readonly string[]>>;
}

/** A relayed call says it by other means. */
const ofTheWay = { 'of the way': ['stream'] };

const contracts: readonly Contract[] = [
  {
    client: clientDialects['openai-chat'],
    vendor: 'openai',
    type: 'ChatRequest',
    unnamed: { ...ofTheWay, 'told by every stream': ['stream_options'], 'named max_tokens': ['max_completion_tokens'] },
  },
  {
    client: clientDialects['openai-responses'],
    vendor: 'openai',
    type: 'ResponsesRequest',
    unnamed: { ...ofTheWay, 'told by every stream': ['stream_options'], 'done here': ['metadata', 'store'] },
  },
  {
    client: clientDialects.claude,
    vendor: 'anthropic-ai-sdk',
    type: 'MessageRequest',
    unnamed: { ...ofTheWay, 'done here': ['compaction'] },
  },
  { client: clientDialects.gemini, vendor: 'google-genai', type: 'GenerationConfig', within: 'generationConfig', unnamed: {} },
  {
    client: clientDialects['gemini-interactions'],
    vendor: 'google-genai',
    type: 'InteractionRequest',
    unnamed: { ...ofTheWay, 'done here': ['store'] },
  },
];

interface Said {
  value: unknown;
  /** Fields that it needs to have a meaning. */
  beside: Body;
}

const functions = ['get', 'set'].map((name) => ({ name, parameters: { type: 'object', properties: {} } }));
const json = { responseMimeType: 'application/json' };
const besides: Body = {
  responseJsonSchema: json,
  responseSchema: json,
  function_call: { functions },
  tool_choice: { tools: functions.map((one) => ({ type: 'function', ...one, function: one })) },
  parallel_tool_calls: { tools: functions.map((one) => ({ type: 'function', ...one, function: one })) },
};

/** What stands in no vendor's type, or says nothing as the type has it. */
const further: Readonly<Record<string, readonly unknown[]>> = { response_mime_type: ['application/json'], parallel_tool_calls: [false] };

/** Values by the name of their member. */
function membersOf({ client, vendor, type, within }: Contract): Map<string, Said[]> {
  const members = new Map<string, Said[]>();
  const add = (name: string, value: unknown, beside: Body) => members.set(name, [...(members.get(name) ?? []), { value, beside }]);
  for (const sample of samplesOf(vendor, type)) {
    for (const [name, value] of Object.entries(asObject(sample))) {
      const words = [...(typeof value === 'string' ? wordsLike(value) : [value]), ...(further[name] ?? [])];
      for (const word of words) add(name, word, client.name === 'claude' ? {} : asObject(besides[name]));
    }
  }
  // Not in vendors' types: valid numbers, and tools for a choice.
  for (const { example } of Object.values(client.clientFields)) {
    const fields = asObject(within === undefined ? example : example[within]);
    for (const name of Object.keys(fields)) if (members.has(name)) add(name, fields[name], fields);
  }
  return members;
}

type Outcome = 'carried' | 'dropped' | 'refused' | 'invalid' | 'unnamed';

function outcomeOf({ client, within }: Contract, upstream: UpstreamDialect, name: string, { value, beside }: Said): Outcome {
  const path = within === undefined ? name : `${within}.${name}`;
  const isIt = (reported: string) => reported === path || reported.startsWith(`${path}.`) || reported.startsWith(`${path}:`);
  const upstreamModel = knownModels[upstream.name] ?? '';
  const write = (fields: Body) =>
    upstream.writeRequest(client.readRequest(fields), { upstreamModel, forceUsage: false, settings: defaultSettings });
  const plain = asObject(plainBodies[client.name]);
  const bodyWith = (fields: Body) => (within === undefined ? { ...plain, ...fields } : { ...plain, [within]: fields });
  const without = (body: Body) => Object.fromEntries(Object.entries(body).filter(([one]) => one !== name));
  try {
    const written = write(bodyWith({ ...beside, [name]: value }));
    if (written.dropped.some(isIt)) return 'dropped';
    const bare = within === undefined ? without(bodyWith(beside)) : bodyWith(without(beside));
    return isNeeded(() => write(bare)) || JSON.stringify(write(bare)) !== JSON.stringify(written) ? 'carried' : 'unnamed';
  } catch (failure) {
    if (!(failure instanceof AppError)) throw failure;
    return failure.code === 'invalid_request' ? 'invalid' : 'refused';
  }
}

/** There is no request without it. */
function isNeeded(write: () => unknown): boolean {
  try {
    write();
    return false;
  } catch {
    return true;
  }
}

describe.each(contracts)('$client.name', (contract) => {
  const { client, within, unnamed } = contract;
  const members = membersOf(contract);
  const known = new Set(Object.values(unnamed).flat());
  const others = Object.values(upstreamDialects).filter(({ name }) => name !== client.name);

  test.each(others)('→ $name', (upstream) => {
    const lost: string[] = [];
    const otherwise: string[] = [];
    for (const [name, values] of members) {
      const outcomes = new Set(values.map((value) => outcomeOf(contract, upstream, name, value)));
      const isReported = outcomes.has('carried') || outcomes.has('dropped') || outcomes.has('refused');
      const path = within === undefined ? name : `${within}.${name}`;
      const field = fieldsByName(client.clientFields).get(path)?.field;
      // A format that carries it by its parts may do so by what it is: one call at a time.
      const isAnyway = field !== undefined && field !== null && upstream.carriedFields[field] === 'by_parts';
      if (!isReported && !isAnyway) lost.push(name);
      const isNoted = translationTable.some((one) => one.from === client.name && one.to === upstream.name && one.field === path);
      // Every row of the table is tried elsewhere; what has none goes up.
      if (field !== undefined && field !== null && !isNoted && isReported && !outcomes.has('carried')) otherwise.push(`${name} is lost`);
    }
    expect({ lost: lost.filter((name) => !known.has(name)), otherwise }).toEqual({ lost: [], otherwise: [] });
  });

  test('what is lost without a name is in the vendor’s types, and is lost', () => {
    const isLost = (name: string) => others.some((upstream) => (members.get(name) ?? []).every((value) => isSilent(upstream, name, value)));
    const isSilent = (upstream: UpstreamDialect, name: string, value: Said) =>
      ['unnamed', 'invalid'].includes(outcomeOf(contract, upstream, name, value));
    expect([...known].filter((name) => !members.has(name) || !isLost(name))).toEqual([]);
  });
});

function isObject(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asObject(value: unknown): Body {
  return isObject(value) ? value : {};
}
