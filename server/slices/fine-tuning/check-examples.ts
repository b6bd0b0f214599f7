// Validates, counts and rewrites training examples, so that what was checked is what is sent even if the caller's file
// changes. https://platform.openai.com/docs/guides/supervised-fine-tuning#formatting-your-data
import { AppError } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import { checkWords } from '#server/objects/check-words.ts';
import { LineTooLong, longestLine } from '#server/objects/line-cutter.ts';
import { lineNamed, ofPlace } from '#server/objects/request-position.ts';
import { FileTooLarge, linesOf } from '#server/work/read-lines.ts';
import type { TuningJobRecord } from '#server/db/records/tuning-job.ts';
import { refuseAccountObject } from '#server/formats/provider-objects.ts';
import { emptyPrompt, type PromptContent } from '#server/formats/prompt-content.ts';
import { upstreamDialects } from '#server/formats/registry.ts';
import { badField, type Body, StrictFields } from '#server/framing/strict-fields.ts';
import { JsonScan } from '#server/framing/json-scan.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { parseJson, textOf } from '#server/http/parse-body.ts';
import type { SpoolFile } from '#server/http/spool.ts';
import type { Admission } from '#server/call/admission/admission.ts';
import { countNames } from '#server/call/admission/check-names.ts';
import { relayEndpoints } from '#server/call/endpoints.ts';
import type { RelayServices } from '#server/call/services.ts';
import { countPrompt, estimateTextTokens } from '#server/exchange/token-estimate.ts';
import type { EventSource } from '#server/exchange/upstream-stream.ts';

/** Maximum bytes of a file, and maximum lines, blank ones included. */
const largestFile = 200 * 1024 * 1024;
const mostLines = 1_000_000;
const writtenAtOnce = 256 * 1024;
/** Longer lines are parsed in turn with other work. */
const longBytes = 256 * 1024;
/** Characters counted at a time, and in total; the rest is estimated. */
const countedAtOnce = 64 * 1024;
const countedInAll = 32 * 1024 * 1024;
/** Safety margin of estimates. */
const estimateMargin = 1.25;
/** The vendor's minimum. https://platform.openai.com/docs/guides/supervised-fine-tuning */
export const fewestExamples = 10;

export interface ExamplesToCheck {
  services: RelayServices;
  admission: Admission;
  /** Field that names the file: `training_file`. */
  field: string;
  base: string;
  method: TuningJobRecord['method'];
}

export interface CheckedExamples {
  examples: number;
  /** Tokens of one epoch. */
  tokens: number;
}

/**
 * Writes the examples into `spool`.
 * @throws {AppError} `invalid_request` with the line, and as `SpoolFile.append`
 * @throws {FileBroken}
 */
export async function checkExamples(requested: ExamplesToCheck, file: EventSource | Buffer, spool: SpoolFile): Promise<CheckedExamples> {
  const { services, field } = requested;
  const checker = new Checker(requested);
  let waiting: Buffer[] = [];
  let size = 0;
  const flush = async () => {
    if (spool.size + size > largestFile) throw badField(field, tooLarge);
    if (size > 0) await spool.append(waiting, size);
    [waiting, size] = [[], 0];
  };
  const silenceMs = services.context.env.STREAMING_TIMEOUT * 1000;
  try {
    for await (const { bytes, number } of linesOf(file, { longest: longestLine, largest: largestFile, mostLines, silenceMs })) {
      const written = await checker.check(bytes, number);
      waiting.push(written);
      size += written.length;
      if (size >= writtenAtOnce) await flush();
    }
  } catch (failure) {
    if (failure instanceof LineTooLong) throw badField(field, lineTooLong);
    if (failure instanceof FileTooLarge) throw badField(field, tooLarge);
    throw failure;
  }
  await flush();
  return checker.checked();
}

const tooLarge = { zh: '超过 200 MB 或 1,000,000 行', en: 'is larger than 200 MB, or has more than 1,000,000 lines' };
const lineTooLong = { zh: '中有超过 4 MB 的行', en: 'has a line of more than 4 MB' };
const tooFew = { zh: `至少要有 ${fewestExamples} 条样本`, en: `must have at least ${fewestExamples} examples` };
const noAnswer = { zh: '必须包含助手（assistant）消息', en: 'must have a message of the assistant' };
const oneAnswer = { zh: '必须正好是一条助手（assistant）消息', en: 'must be exactly one message of the assistant' };

class Checker {
  readonly #requested: ExamplesToCheck;
  #examples = 0;
  #tokens = 0;
  #counted = 0;
  /** Texts not counted yet. */
  #waiting: PromptContent = emptyPrompt();
  #length = 0;

  constructor(requested: ExamplesToCheck) {
    this.#requested = requested;
  }

  async check(bytes: Buffer, number: number): Promise<Buffer> {
    try {
      const { services, admission } = this.#requested;
      const work = () => this.#read(bytes);
      const { line, content } = bytes.length > longBytes ? await services.context.bodies.inTurn(`user:${admission.user.id}`, work) : work();
      await checkWords(services, admission.user.id, content);
      this.#examples += 1;
      await this.#count(content);
      return Buffer.from(`${JSON.stringify(line)}\n`);
    } catch (failure) {
      throw failure instanceof AppError && failure.status < 500 ? ofPlace(lineNamed(number, this.#requested.field), failure) : failure;
    }
  }

  async checked(): Promise<CheckedExamples> {
    if (this.#examples < fewestExamples) throw badField(this.#requested.field, tooFew);
    await this.#flush();
    return { examples: this.#examples, tokens: this.#tokens };
  }

  #read(bytes: Buffer): { line: Body; content: PromptContent } {
    const scan = new JsonScan();
    scan.push(bytes);
    const { parts, members, hasEscapedNames } = scan;
    const line = parseJson(textOf({ bytes, parts, members, hasEscapedNames }));
    if (!isObject(line)) throw badField('line', fieldRules.object);
    // The parsed value hides duplicate members, so they are counted in the text. Rewriting removes escapes in names.
    if (countNames(line, chat.names) !== members) throw badField('line', fieldRules.standsOnce);
    return { line, content: this.#contentOf(line) };
  }

  #contentOf(line: Body): PromptContent {
    const { base, method } = this.#requested;
    if (method === 'dpo') return ofPreference(line, base);
    return isCompletionModel(base) ? ofCompletion(line) : ofConversation(new StrictFields(line), base);
  }

  async #count(content: PromptContent): Promise<void> {
    this.#waiting.fixed += content.fixed;
    for (const text of content.texts) {
      this.#waiting.texts.push(text);
      // Empty texts count as work.
      this.#length += text.length + 1;
    }
    if (this.#length >= countedAtOnce) await this.#flush();
  }

  async #flush(): Promise<void> {
    const { base, admission } = this.#requested;
    const counting = { owner: admission.user.id, isEstimated: this.#counted > countedInAll };
    const { texts, fixed } = this.#waiting;
    let tokens: number;
    if (counting.isEstimated) tokens = fixed + texts.reduce((sum, text) => sum + estimateTextTokens(text), 0);
    else tokens = await countPrompt(this.#waiting, base, counting);
    this.#tokens += counting.isEstimated ? Math.ceil(tokens * estimateMargin) : tokens;
    this.#counted += this.#length;
    [this.#waiting, this.#length] = [emptyPrompt(), 0];
  }
}

const chat = endpointAt('/v1/chat/completions');

function endpointAt(path: string) {
  const found = relayEndpoints.find((endpoint) => endpoint.path === path);
  if (found === undefined) throw new Error(`Nothing is at ${path}`);
  return found;
}

/** Models that only support completions. */
function isCompletionModel(base: string): boolean {
  return base.startsWith('babbage-') || base.startsWith('davinci-');
}

const conversationNames: ReadonlySet<string> = new Set(['messages', 'tools', 'parallel_tool_calls', 'functions']);
const inputNames: ReadonlySet<string> = new Set(['messages', 'tools', 'parallel_tool_calls']);
const preferenceNames: ReadonlySet<string> = new Set(['input', 'preferred_output', 'non_preferred_output']);
const completionNames: ReadonlySet<string> = new Set(['prompt', 'completion']);

function ofConversation(fields: StrictFields, base: string): PromptContent {
  refuseOthers(fields, conversationNames);
  const messages = fields.objects('messages');
  if (messages.length === 0) throw badField('messages', fieldRules.required);
  if (!messages.some((message) => message.raw('role') === 'assistant')) throw badField('messages', noAnswer);
  for (const message of messages) {
    const weight = message.raw('weight');
    if (weight !== undefined && weight !== 0 && weight !== 1) throw badField(message.path('weight'), fieldRules.oneOf(['0', '1']));
  }
  return contentOf({ ...fields.plain, model: base });
}

/** https://platform.openai.com/docs/guides/direct-preference-optimization */
function ofPreference(line: Body, base: string): PromptContent {
  const fields = new StrictFields(line);
  refuseOthers(fields, preferenceNames);
  const input = fields.fields('input');
  if (input === undefined) throw badField('input', fieldRules.required);
  refuseOthers(input, inputNames);
  if (input.objects('messages').length === 0) throw badField('input.messages', fieldRules.required);
  const all = emptyPrompt();
  for (const name of ['preferred_output', 'non_preferred_output']) {
    const [answer, second] = fields.objects(name);
    if (answer?.raw('role') !== 'assistant' || second !== undefined) throw badField(name, oneAnswer);
    // The prompt is trained with either output.
    const { messages, ...rest } = input.plain;
    const { texts, fixed } = contentOf({ ...rest, model: base, messages: [...(Array.isArray(messages) ? messages : []), answer.plain] });
    for (const text of texts) all.texts.push(text);
    all.fixed += fixed;
  }
  return all;
}

function ofCompletion(line: Body): PromptContent {
  const fields = new StrictFields(line);
  refuseOthers(fields, completionNames);
  return { ...emptyPrompt(), texts: [fields.text('prompt') ?? '', fields.requiredText('completion')] };
}

/** Validates like a call with such a prompt. */
function contentOf(body: Record<string, unknown>): PromptContent {
  chat.check(body);
  refuseAccountObject(upstreamDialects['openai-chat'].findAccountObject(body));
  return chat.promptContent(body, String(body['model']));
}

function refuseOthers(fields: StrictFields, names: ReadonlySet<string>): void {
  const [other] = fields.others(names);
  if (other !== undefined) throw badField(fields.path(other.slice(0, 100)), fieldRules.invalid);
}
