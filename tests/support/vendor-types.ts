// Types of vendors' packages that responses consist of, by the format that they are of, and what their samples have to be like to make sense.
import type { upstreamDialects } from '#server/formats/registry.ts';
import type { Vendor } from './vendor-schema.ts';

type Json = Readonly<Record<string, unknown>>;

export interface VendorTypes {
  format: keyof typeof upstreamDialects;
  vendor: Vendor;
  whole: readonly string[];
  events: readonly string[];
  /** What a sample with everything in it stands for, where members exclude each other. */
  spread(sample: unknown): unknown[];
  /** Events without which one says nothing. */
  among(event: Json): { before?: readonly Json[]; after?: readonly Json[] };
}

export const vendorTypes: readonly VendorTypes[] = [
  {
    format: 'claude',
    vendor: 'anthropic-ai-sdk',
    whole: ['Message', 'BetaMessage'],
    events: ['MessageStreamEvent', 'BetaMessageStreamEvent'],
    spread: (message) => withReasons(message, ['stop_reason'], ['end_turn', 'refusal']),
    among: amongBlocks,
  },
  {
    format: 'openai-chat',
    vendor: 'openai',
    whole: ['ChatCompletion'],
    events: ['ChatCompletionChunk'],
    spread: (completion) => [completion],
    among: () => ({}),
  },
  {
    format: 'openai-responses',
    vendor: 'openai',
    whole: ['Response'],
    events: ['ResponseStreamEvent'],
    spread: (response) => withReasons(response, ['status'], ['completed', 'incomplete', 'failed']),
    among: amongItems,
  },
  {
    format: 'gemini',
    vendor: 'google-genai',
    whole: ['Generated'],
    events: ['Generated'],
    spread: spreadGenerated,
    among: () => ({}),
  },
];

/** The same with each of these words in the place of the member, wherever it stands at the top or in one step below. */
function withReasons(sample: unknown, [name = '']: readonly string[], reasons: readonly string[]): unknown[] {
  if (!isObject(sample)) return [sample];
  const holder = name in sample ? '' : ['delta', 'response'].find((key) => isObject(sample[key]) && name in sample[key]);
  if (holder === undefined) return [sample];
  return reasons.map((reason) => {
    if (holder === '') return { ...sample, [name]: reason };
    const held = sample[holder];
    return { ...sample, [holder]: { ...(isObject(held) ? held : {}), [name]: reason } };
  });
}

/** Citations are sent with the end of the block that they belong to. */
const cited = { type: 'text', text: 'Noon.', citations: [{ type: 'web_search_result_location', url: 'https://example.com' }] };

const blockOfDelta: Readonly<Record<string, Json>> = {
  text_delta: { type: 'text', text: '' },
  citations_delta: { type: 'text', text: '' },
  thinking_delta: { type: 'thinking', thinking: '', signature: '' },
  signature_delta: { type: 'thinking', thinking: '', signature: '' },
  input_json_delta: { type: 'tool_use', id: 'toolu_1', name: 'get_tide', input: {} },
  compaction_delta: { type: 'compaction', content: null, encrypted_content: null },
};

function amongBlocks({ type, index, delta }: Json): ReturnType<VendorTypes['among']> {
  const stop = { type: 'content_block_stop', index };
  if (type === 'content_block_start') return { after: [stop] };
  if (type === 'content_block_stop') return { before: [{ type: 'content_block_start', index, content_block: cited }] };
  if (type !== 'content_block_delta' || !isObject(delta)) return {};
  const content_block = blockOfDelta[String(delta['type'])];
  if (content_block === undefined) throw new Error(`Of which block is ${String(delta['type'])}?`);
  return { before: [{ type: 'content_block_start', index, content_block }], after: [stop] };
}

/** Pieces belong to an item; pieces that were sent are not repeated when it is done. */
function amongItems({ type, output_index, item_id }: Json): ReturnType<VendorTypes['among']> {
  const name = String(type);
  if (typeof output_index !== 'number' || name.startsWith('response.output_item')) return {};
  const call = { type: 'function_call', call_id: 'call_1', name: 'get_tide', arguments: '' };
  const item = { ...(name.includes('function_call') ? call : { type: 'message' }), id: item_id };
  const begun = { type: 'response.output_item.added', output_index, item };
  // A paragraph of a summary is recognized by the preceding event.
  const reported = { type: 'response.reasoning_summary_text.delta', output_index, delta: 'Hm.' };
  return { before: name === 'response.reasoning_summary_part.added' ? [begun, reported] : [begun] };
}

/** A part is one thing out of many, and so is a source; what is counted has to add up. */
function spreadGenerated(sample: unknown): unknown[] {
  const spread: unknown = JSON.parse(JSON.stringify(sample), (name, value: unknown) => {
    if (name === 'usageMetadata' && isObject(value)) return { ...value, ...counts };
    if (name === 'groundingChunks' || name === 'parts') return Array.isArray(value) ? value.filter(isObject).flatMap(alone) : value;
    // Signatures are of the first one.
    if (name === 'candidates' && Array.isArray(value)) return value.map((candidate: object) => ({ ...candidate, index: 0 }));
    if (name === 'modality') return 'AUDIO';
    if (name === 'finishReason') return 'STOP';
    if (name === 'tokenCount') return 7;
    if (name === 'segment') return { startIndex: 0, endIndex: 4, text: 'Noon', partIndex: 0 };
    if (name === 'groundingChunkIndices') return [0, 1, 2, 3];
    return value;
  });
  const { candidates: _candidates, ...blocked } = isObject(spread) ? spread : {};
  return [spread, blocked];
}

const counts = {
  promptTokenCount: 5000,
  toolUsePromptTokenCount: 100,
  cachedContentTokenCount: 1000,
  candidatesTokenCount: 3000,
  thoughtsTokenCount: 900,
  totalTokenCount: 9000,
};

function alone({ thought, thoughtSignature, text, ...things }: Json): Json[] {
  const signed = { ...(thought === undefined ? {} : { thought }), ...(thoughtSignature === undefined ? {} : { thoughtSignature }) };
  const written = text === undefined ? [] : [{ text: 'Noon.' }, { text: 'Hm.', ...signed }];
  return [...written, ...Object.entries(things).map(([name, thing]) => ({ [name]: thing }))];
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
