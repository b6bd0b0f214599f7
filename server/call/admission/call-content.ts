// Holds the body of a call and frees its memory early. A small body is held as text and parsed object until the call ends. A
// large one is held as bytes while the call waits for the upstream, because it may be sent to another channel; once a response
// has begun, only the texts that a token count of the prompt may need are held.
import { AppError } from '#shared/errors.ts';
import { type MultipartFields, multipartToBody } from '#server/formats/multipart-body.ts';
import type { CriticalMembers } from '#server/formats/critical-members.ts';
import { allNames, type SeenNames } from '#server/formats/seen-names.ts';
import { checkNames } from './check-names.ts';
import type { Bodies, BodyHold } from '#server/http/bodies.ts';
import { inSteps } from '#server/http/in-steps.ts';
import { type BodyText, isLong, parseBody } from '#server/http/parse-body.ts';
import { scanBody } from '#server/http/scan-body.ts';
import type { SpoolFile } from '#server/http/spool.ts';
import type { RawBody } from '#server/http/read-body.ts';
import type { RelayBody, RelayEndpoint } from '#server/call/endpoints.ts';
import { sourceOf } from '#server/framing/byte-source.ts';
import { JsonScan } from '#server/framing/json-scan.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { freeBytes } from '#server/framing/free-bytes.ts';
import { LongTexts, writeJson } from '#server/framing/long-json.ts';
import { type LongJson, parseLongJson, readLongJson } from '#server/framing/read-long-json.ts';
import { partBytes, PartBudget } from '#server/framing/part-budget.ts';
import type { PromptContent } from '#server/formats/prompt-content.ts';
import { type Counting, countPrompt } from '#server/exchange/token-estimate.ts';

/** Properties of a multipart body. */
export interface MultipartSource {
  boundary: string;
  fields: MultipartFields;
  names: CriticalMembers;
}

/** Names that must be spelled exactly; a function if they depend on the body. */
export type NamesOf = CriticalMembers | ((value: unknown) => CriticalMembers);

/** Splits the gateway's fields off a body. */
export type SplitBody = (body: RelayBody) => { ours: RelayBody; body: RelayBody };

type CountedEndpoint = Pick<RelayEndpoint, 'promptContent'>;

/** Maximum bytes of a small body, as received and parsed together. */
const smallBytes = 64 * 1024;
/** Maximum characters of a prompt that is held for counting; longer prompts are estimated. */
const longestCounted = 4_000_000;

/** Serializes and scans a body. */
export function rawOf(body: RelayBody): { text: string; raw: RawBody } {
  const text = JSON.stringify(body);
  const bytes = Buffer.from(text);
  const scan = new JsonScan();
  scan.push(bytes);
  const { parts, members, hasEscapedNames } = scan;
  return { text, raw: { bytes, parts, members, hasEscapedNames } };
}

/** Facts about a body that are known before it is opened. */
export interface KnownContent {
  /** Text and value whose names were checked already. */
  parsed?: BodyText;
  /** Bytes and parts of a history that `split` inserts. */
  bytesBefore?: number;
  partsBefore?: number;
}

/** Body that replaces the received one. */
interface OtherBody {
  /** Approximate. */
  bytes: number;
  parts: number;
  text: string;
  raw: RawBody | null;
  long: LongJson | null;
}

interface ParsedBody {
  /** Text; a function that serializes `body` if fields were split off. */
  text: string | (() => string);
  body: RelayBody;
  ours: RelayBody;
}

const noFields: RelayBody = {};

export interface ContentDependencies {
  bodies: Bodies;
  owner: string;
  hold: BodyHold;
  split: SplitBody | undefined;
  names: NamesOf;
  form?: MultipartSource | undefined;
  /** Whether no other reader uses the bytes, so that they may be freed. */
  ownsBytes?: boolean;
}

export class CallContent {
  readonly #parts: ContentDependencies;
  /** File that the body was spooled to; undefined if it is in memory. */
  readonly #file: SpoolFile | undefined;
  #raw: RawBody | null;
  /** A long body in the form that replaces its bytes. */
  #long: LongJson | null = null;
  /** Text and value from the constructor, until first used. */
  #known: BodyText | null;
  #parsed: ParsedBody | null = null;
  #prompt: PromptContent | null = null;
  #isChecked: boolean;
  #isLarge: boolean;
  #isReleased = false;
  /** The gateway's fields, once a replacement is set, which is not split again. */
  #dividedOurs: RelayBody | null = null;
  /** Number of objects, arrays, texts and names in the body. */
  #bodyParts: number;
  /** Bytes held for parsed JSON texts in the body. */
  #nestedBytes = 0;
  /** Approximate bytes of the received body as text and parsed object. */
  readonly bytes: number;
  /** Names that the body may have, according to its scan. */
  seen: SeenNames = allNames;

  constructor(raw: RawBody, parts: ContentDependencies, { parsed, bytesBefore = 0, partsBefore = 0 }: KnownContent) {
    this.#raw = raw;
    this.#file = raw.file;
    this.#parts = parts;
    this.#known = parsed ?? null;
    this.#isChecked = parsed !== undefined;
    this.#bodyParts = raw.parts + partsBefore;
    this.bytes = raw.bytes.length + this.#bodyParts * partBytes + bytesBefore;
    this.#isLarge = this.bytes > smallBytes;
  }

  get isLarge(): boolean {
    return this.#isLarge;
  }

  /** Number of objects, arrays, texts and names in the body. */
  get parts(): number {
    return this.#bodyParts;
  }

  /** Fields for the gateway, which are not sent upstream. */
  get ours(): RelayBody {
    return (this.#parsed ?? released()).ours;
  }

  /** Text of the body without the gateway's fields; long texts are marks (`longTexts`). */
  get text(): string {
    const { text } = this.#parsed ?? released();
    return typeof text === 'string' ? text : text();
  }

  /** Returns the long texts for one request made from the body; undefined if there are none. */
  longTexts(): LongTexts | undefined {
    // If fields were split off, serializing the text adds the texts that its marks refer to.
    if (this.#long === null) return undefined;
    if (typeof this.#parsed?.text === 'function') this.#parsed.text();
    return new LongTexts(this.#long.texts);
  }

  get body(): RelayBody {
    return (this.#parsed ?? released()).body;
  }

  /**
   * Parses the body, again if it was freed. Returns a promise only for a long body.
   * @throws {AppError} `invalid_utf8`, `invalid_json`, `invalid_request`
   */
  prepare(): void | Promise<void> {
    if (this.#parsed !== null) return;
    if (this.#long !== null) return this.#parseAgain(this.#long);
    if (this.#raw === null) return;
    const { bodies, owner, names, form } = this.#parts;
    const raw = this.#raw;
    if (form !== undefined) return this.#prepareForm(raw, form);
    const known = this.#known;
    this.#known = null;
    if (known !== null) return this.use(() => this.#setParsed(known));
    // Names are checked the first time only.
    const check = this.#isChecked
      ? undefined
      : ({ text, value }: BodyText) => {
          this.seen = checkNames(value, text, raw, typeof names === 'function' ? names(value) : names);
        };
    this.#isChecked = true;
    if (isLong(raw)) return this.#prepareLong(raw, check);
    const parsing = parseBody(raw, bodies, owner, check);
    if (parsing instanceof Promise) return parsing.then((parsed) => this.use(() => this.#setParsed(parsed)));
    this.#setParsed(parsing);
  }

  async #prepareLong(raw: RawBody, check: ((body: BodyText) => void) | undefined): Promise<void> {
    const { bodies, owner, ownsBytes } = this.#parts;
    const long = await inSteps(bodies, owner, readLongJson(raw.bytes));
    if (long === null) {
      const parsed = await parseBody(raw, bodies, owner, check);
      await this.use(() => this.#setParsed(parsed));
      return;
    }
    // The body may have been freed meanwhile.
    if (this.#raw === raw) {
      this.#long = long;
      this.#raw = null;
    }
    if (ownsBytes === true) freeBytes(raw.bytes);
    await inSteps(bodies, owner, long.texts.settle());
    const value = await bodies.inTurn(owner, () => parseLongJson(long));
    if (check !== undefined) await bodies.inTurn(owner, () => check({ text: long.json, value }));
    await this.use(() => this.#setParsed({ text: long.json, value }));
  }

  /** Parses a long body again. */
  async #parseAgain(long: LongJson): Promise<void> {
    const value = await this.use(() => parseLongJson(long));
    await this.use(() => this.#setParsed({ text: long.json, value }));
  }

  /** Parses a form. Its files are not copied. */
  async #prepareForm({ bytes, file }: RawBody, form: MultipartSource): Promise<void> {
    const value = await multipartToBody(file ?? sourceOf(bytes), form.boundary, form);
    if (file !== undefined) this.#parts.hold.grow(bytesOfTexts(value));
    this.#setParsed({ text: '', value });
  }

  #setParsed({ text, value }: BodyText): void {
    const { split } = this.#parts;
    const divided = this.#dividedOurs;
    if (!isObject(value))
      throw new AppError('invalid_request', { detail: { zh: '请求体必须是 JSON 对象', en: 'the body must be a JSON object' } });
    this.#parsed =
      split === undefined || divided !== null
        ? { text, body: value, ours: divided ?? noFields }
        : splitBody(value, split, text, this.#long?.texts);
    if (!this.#isLarge) this.#raw = null;
  }

  /** Replaces the body, no longer counting the earlier one. @throws {AppError} `bodies_of_caller`, `bodies_of_server` */
  replace(body: RelayBody): void {
    const { text, raw } = rawOf(body);
    this.#put(body, { bytes: raw.bytes.length, parts: raw.parts, text, raw, long: null });
  }

  /** Replaces the body like `replace`, but serializes a long one in turn. @param size approximate bytes */
  async replaceLong(body: RelayBody, size: number): Promise<void> {
    if (size <= smallBytes) {
      this.replace(body);
      return;
    }
    const { bodies, owner } = this.#parts;
    const texts = new LongTexts();
    const json = await bodies.inTurn(owner, () => texts.write(body));
    const { bytes, parts } = await scanBody(Buffer.from(json));
    this.#put(body, { bytes: bytes.length + texts.length, parts, text: json, raw: null, long: { json, texts } });
  }

  #put(body: RelayBody, { bytes, parts, text, raw, long }: OtherBody): void {
    const { ours } = this.#parsed ?? released();
    const { hold } = this.#parts;
    const isLarge = bytes + parts * partBytes > smallBytes;
    const held = bytes * (isLarge ? 2 : 1) + parts * partBytes;
    // Throws before anything is changed if the memory is not available.
    if (held > hold.bytes && !this.#isReleased) hold.grow(held - hold.bytes);
    hold.shrinkTo(held);
    this.#bodyParts = parts;
    this.#nestedBytes = 0;
    this.#isLarge = isLarge;
    this.#raw = isLarge ? raw : null;
    this.#long = long;
    this.#dividedOurs = ours;
    this.#parsed = { text, body, ours };
    this.seen = allNames;
    this.#prompt = null;
  }

  /** Returns the budget of one attempt for parsing JSON texts in the body. The hold grows to that of the largest attempt. */
  budget(): PartBudget {
    let grown = 0;
    return new PartBudget(this.#bodyParts, (bytes) => {
      grown += bytes;
      if (grown <= this.#nestedBytes || this.#isReleased) return;
      this.#parts.hold.grow(grown - this.#nestedBytes);
      this.#nestedBytes = grown;
    });
  }

  /** Runs work on the body; with a large body, in turn with other long work. */
  use<Result>(work: () => Result): Result | Promise<Result> {
    return this.#isLarge ? this.#parts.bodies.inTurn(this.#parts.owner, work) : work();
  }

  /** Called when the request is sent: frees the parsed form of a large body, which can be parsed again. */
  sent(endpoint: CountedEndpoint, model: string): void {
    if (!this.#isLarge || this.#parsed === null) return;
    this.#prompt ??= this.#promptOf(this.#parsed.body, endpoint, model);
    this.#parsed = null;
  }

  /** Called when no other channel will be tried: frees everything except texts for a token count. */
  answered(): void {
    this.#file?.end();
    if (!this.#isLarge) return;
    this.#raw = null;
    this.#long = null;
    this.#nestedBytes = 0;
    this.#parts.hold.shrinkTo(this.#prompt === null ? 0 : lengthOf(this.#prompt));
  }

  /** Releases all memory, now and for later operations. */
  release(): void {
    this.#isReleased = true;
    this.answered();
    this.#parts.hold.shrinkTo(0);
  }

  /** Counts the tokens of the prompt; resolves to `estimate` if its texts were too long to be held. */
  countPrompt(
    { endpoint, model, estimate }: { endpoint: CountedEndpoint; model: string; estimate: number },
    counting: Counting,
  ): Promise<number> {
    const prompt = this.#parsed === null ? this.#prompt : endpoint.promptContent(this.#parsed.body, model, this.#isLarge);
    if (prompt !== null) return countPrompt(prompt, model, counting);
    counting.isEstimated = true;
    return Promise.resolve(estimate);
  }

  #promptOf(body: RelayBody, endpoint: CountedEndpoint, model: string): PromptContent | null {
    const prompt = endpoint.promptContent(body, model, true);
    return lengthOf(prompt) > longestCounted ? null : prompt;
  }
}

function released(): never {
  throw new Error('The body of a call was used after its release');
}

/** Returns the approximate bytes of the texts in a form. */
function bytesOfTexts(body: RelayBody): number {
  return Object.values(body)
    .flat()
    .reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);
}

/** @param whole text of the body; empty for a form, which is not serialized */
function splitBody(value: RelayBody, split: SplitBody, whole: string, texts: LongTexts | undefined): ParsedBody {
  const { ours, body } = split(value);
  let text: string | null = whole === '' ? '' : null;
  return { ours, body, text: () => (text ??= writeJson(body, texts)) };
}

function lengthOf({ texts }: PromptContent): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}
