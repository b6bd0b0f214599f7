// Form fields of providers whose transcription API takes fewer or other fields than OpenAI's.
import { untranslatable } from '#server/formats/losses.ts';
import type { Body } from '#server/framing/strict-fields.ts';

interface TranscriptFormat {
  /** Fields as sent upstream; undefined ones are omitted. */
  fields: Record<string, unknown>;
  /** Names of omitted fields. */
  dropped: string[];
  /** The provider's stream has no format that callers know. */
  isWhole?: true;
}

const title = { zh: '此提供商的语音转写接口', en: "this provider's transcriptions" };
/** Fields that only decide how the response is written here. */
const ofResponse = new Set(['response_format', 'stream', 'model', 'file']);

const forms: Readonly<Record<string, (body: Body) => TranscriptFormat>> = {
  // Mistral rejects unknown fields. https://docs.mistral.ai/api/endpoint/audio/transcriptions
  mistral(body) {
    const { response_format: format } = body;
    const times = timesIn(body, ['srt', 'vtt', 'verbose_json'].includes(String(format)));
    // `language` and timestamps exclude each other.
    const known = ['temperature', 'diarize', 'context_bias', ...(times.length === 0 ? ['language'] : [])];
    const form = only(body, known);
    return {
      fields: {
        ...form.fields,
        response_format: undefined,
        stream: undefined,
        ...(times.length === 0 ? {} : { timestamp_granularities: times }),
      },
      dropped: form.dropped.filter((name) => !name.startsWith('timestamp_granularities')),
      isWhole: true,
    };
  },
  // https://docs.bigmodel.cn/api-reference/模型-api/语音转文本
  zhipu(body) {
    const { response_format: format } = body;
    // The response has no timestamps.
    if (format === 'srt' || format === 'vtt') throw untranslatable('response_format', title);
    const { fields, dropped } = only(body, ['prompt', 'hotwords', 'request_id', 'user_id']);
    const isPlain = format === undefined || format === 'json' || format === 'text';
    return { fields: { ...fields, response_format: undefined }, dropped: isPlain ? dropped : [...dropped, 'response_format'] };
  },
};

/**
 * Returns null if the provider takes OpenAI's fields.
 * @throws {AppError} `untranslatable`
 */
export function transcriptFormat(name: string | undefined, body: Body): TranscriptFormat | null {
  if (name === undefined || !Object.hasOwn(forms, name)) return null;
  return forms[name]?.(body) ?? null;
}

function only(body: Body, known: readonly string[]): { fields: Record<string, unknown>; dropped: string[] } {
  const others = Object.keys(body).filter((name) => !ofResponse.has(name) && !known.includes(name));
  return {
    fields: Object.fromEntries(others.map((name) => [name, undefined])),
    dropped: others.map((name) => name.replace(/\[\]$/, '')),
  };
}

function timesIn(body: Body, needsSegments: boolean): string[] {
  const reported = body['timestamp_granularities[]'] ?? body.timestamp_granularities;
  const wanted = (Array.isArray(reported) ? reported : [reported]).filter((name): name is string => name === 'word' || name === 'segment');
  return [...new Set([...wanted, ...(needsSegments ? ['segment'] : [])])];
}
