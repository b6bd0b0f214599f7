// Reads a response or stream of Perplexity's Agent API into parts: Responses with results of Perplexity's tools.
// https://docs.perplexity.ai/docs/agent-api/output-control
import type { FramedEvent } from '#server/framing/framing.ts';
import { isObject, type JsonObject, parseObject } from '#server/framing/loose-json.ts';
import type { ResponsePart } from '../../parts.ts';
import type { StreamReader } from '../../upstream-dialect.ts';
import { isEnd } from '../events.ts';
import { endingParts } from '../../finish-reasons.ts';
import { readFinish } from '../finish-reason.ts';
import { argumentsOf, callOf, contentOf, startOf } from '../read-response.ts';
import { createStreamReader as createPlainReader } from '../read-stream.ts';
import { usageParts } from '../token-usage.ts';
import { Findings, isPerplexityCall, reportedRuns } from './findings.ts';

export function readWhole(body: Readonly<JsonObject>): readonly ResponsePart[] | null {
  if (!Array.isArray(body.output)) return null;
  const findings = new Findings();
  const parts: ResponsePart[] = [beginningOf(body)];
  let calls = 0;
  for (const item of body.output) {
    if (!isObject(item) || isPerplexityCall(item)) continue;
    const call = callOf(item, calls);
    if (call !== null) {
      parts.push(...signed([call], item), { type: 'tool_arguments', index: calls, text: argumentsOf(item) });
      calls += 1;
    } else if (item.type === 'message') parts.push(...messageOf(item, findings));
    else parts.push(...findings.read(item));
  }
  return [...parts, ...endingParts(readFinish(body, calls > 0)), ...endingOf(body)];
}

/** Returns the start without a model, because the model behind a preset is not the requested one. */
function beginningOf(response: Readonly<JsonObject>): ResponsePart {
  return startOf({ ...response, model: '' });
}

/** Adds the signature of a call by one of Google's models. */
function signed(parts: readonly ResponsePart[], { thought_signature: data }: JsonObject): ResponsePart[] {
  if (typeof data !== 'string' || data === '') return [...parts];
  return parts.map((part) => (part.type === 'tool_call' ? { ...part, seal: { origin: 'gemini', data } } : part));
}

function messageOf(item: JsonObject, findings: Findings): ResponsePart[] {
  const content = contentOf(item, findings.length);
  const texts = content.flatMap((part) => (part.type === 'text' ? findings.cite(part.text) : part.type === 'citation' ? [] : [part]));
  return [...texts, ...findings.reported(content)];
}

/** Returns usage and runs, without the service tier: callers cannot request one, so it is that of the preset's model. */
function endingOf({ usage }: Readonly<JsonObject>): ResponsePart[] {
  const calls = reportedRuns(usage);
  return [...usageParts({ usage }), ...(calls === null ? [] : [{ type: 'hosted_usage' as const, calls }])];
}

export function createStreamReader(): StreamReader {
  return new AgentStreamReader();
}

/** Matches events that must be parsed; a false match in a text is harmless. */
const reporting = /"response\.(?:created|output_item|reasoning|completed|incomplete|failed|cancelled)/;

class AgentStreamReader implements StreamReader {
  readonly #plain = createPlainReader();
  readonly #findings = new Findings();
  #hasText = false;

  get isComplete(): boolean {
    return this.#plain.isComplete;
  }

  read(event: FramedEvent): readonly ResponsePart[] {
    const reported = reporting.test(event.data) ? parseObject(event.data) : null;
    if (reported === null) return this.#cited(this.#plain.read(event));
    if (isEnd(reported.type)) return this.#end(event, reported);
    const item = isObject(reported.item) ? reported.item : {};
    switch (reported.type) {
      case 'response.created':
        return isObject(reported.response) ? [beginningOf(reported.response)] : [];
      case 'response.output_item.added':
        // Calls are read at their end, which shows whether they call one of the caller's tools.
        return item.type === 'function_call' ? [] : this.#cited(this.#plain.read(event));
      case 'response.output_item.done':
        return this.#done(event, item);
      case 'response.reasoning.started':
      case 'response.reasoning.stopped':
        return typeof reported.thought === 'string' && reported.thought !== '' ? [{ type: 'reasoning', text: reported.thought }] : [];
      default:
        return this.#cited(this.#plain.read(event));
    }
  }

  #cited(parts: readonly ResponsePart[]): ResponsePart[] {
    return parts.flatMap((part) => {
      if (part.type !== 'text') return part.type === 'citation' ? [] : [part];
      this.#hasText = true;
      return this.#findings.cite(part.text);
    });
  }

  #done(event: FramedEvent, item: JsonObject): ResponsePart[] {
    if (isPerplexityCall(item)) return [];
    if (item.type === 'function_call') return signed(this.#plain.read(event), item);
    if (item.type !== 'message') return this.#findings.read(item);
    const parts = this.#cited(this.#plain.read(event));
    const before = this.#findings.length - textLength(item);
    return [...parts, ...this.#findings.reported(contentOf(item, before))];
  }

  #end(event: FramedEvent, { response }: JsonObject): readonly ResponsePart[] {
    const parts = this.#plain.read(event);
    if (!isObject(response) || parts.some(({ type }) => type === 'error')) return parts;
    // The final response contains everything; parts that were not reported before are read from it.
    const output = Array.isArray(response.output) ? response.output.filter(isObject) : [];
    const found = this.#findings.isEmpty ? output.flatMap((item) => this.#findings.read(item)) : [];
    const texts = this.#hasText ? [] : output.filter(({ type }) => type === 'message').flatMap((item) => messageOf(item, this.#findings));
    return [...found, ...texts, ...parts.filter(({ type }) => type !== 'usage' && type !== 'invalid_usage'), ...endingOf(response)];
  }
}

function textLength({ content }: JsonObject): number {
  return (Array.isArray(content) ? content : []).reduce<number>(
    (sum, part: unknown) => sum + (isObject(part) && typeof part.text === 'string' ? part.text.length : 0),
    0,
  );
}
