// Holds the body of a call, and frees parts of it early. A small body stays as text and tree until the call ends. A large one stays as bytes while it
// waits for the upstream, because another channel may be tried; once a response has begun, only the texts that a count of the prompt may need stay.
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

/** The body is a form. */
export interface MultipartSource {
  boundary: string;
  fields: MultipartFields;
  names: CriticalMembers;
}

/** What is taken in one spelling only; where it depends on the body, by the body. */
export type NamesOf = CriticalMembers | ((value: unknown) => CriticalMembers);

export type SplitBody = (body: RelayBody) => { ours: RelayBody; body: RelayBody };

type CountedEndpoint = Pick<RelayEndpoint, 'promptContent'>;

/** Bytes of a body and of what it becomes when it is parsed; beyond this it is large. */
const smallBytes = 64 * 1024;
/** Characters of a prompt that are held for counting; a longer one is estimated. */
const longestCounted = 4_000_000;

export function rawOf(body: RelayBody): { text: string; raw: RawBody } {
  const text = JSON.stringify(body);
  const bytes = Buffer.from(text);
  const scan = new JsonScan();
  scan.push(bytes);
  const { parts, members, hasEscapedNames } = scan;
  return { text, raw: { bytes, parts, members, hasEscapedNames } };
}

/** What is known of a body before it is opened. */
export interface KnownContent {
  /** Its text and value, whose names have been looked at. */
  parsed?: BodyText;
  /** Of what `split` adds to it. */
  bytesBefore?: number;
  partsBefore?: number;
}

/** In the place of what has come. */
interface OtherBody {
  /** Roughly. */
  bytes: number;
  parts: number;
  text: string;
  raw: RawBody | null;
  long: LongJson | null;
}

interface ParsedBody {
  /** Written on demand where something of it is ours. */
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
  /** No other reader uses the bytes. */
  ownsBytes?: boolean;
}

export class CallContent {
  readonly #parts: ContentDependencies;
  /** File of the body, if it is not in memory: only a little of it is read. */
  readonly #file: SpoolFile | undefined;
  #raw: RawBody | null;
  /** A long one once its bytes were read: they are not needed any more. */
  #long: LongJson | null = null;
  /** Until it is taken apart for the first time. */
  #known: BodyText | null;
  #parsed: ParsedBody | null = null;
  #prompt: PromptContent | null = null;
  #isChecked: boolean;
  #isLarge: boolean;
  #isReleased = false;
  /** What of it is ours, once another body is in its place, which is divided no more. */
  #dividedOurs: RelayBody | null = null;
  /** Objects, arrays, texts and names in it, whether it is parsed or not. */
  #ownParts: number;
  /** Held for what texts of JSON in it become. */
  #nestedBytes = 0;
  /** What it takes as text and tree, roughly; not more than once. */
  readonly bytes: number;
  /** Names that the body may have, by its scan. */
  seen: SeenNames = allNames;

  constructor(raw: RawBody, parts: ContentDependencies, { parsed, bytesBefore = 0, partsBefore = 0 }: KnownContent) {
    this.#raw = raw;
    this.#file = raw.file;
    this.#parts = parts;
    this.#known = parsed ?? null;
    this.#isChecked = parsed !== undefined;
    this.#ownParts = raw.parts + partsBefore;
    this.bytes = raw.bytes.length + this.#ownParts * partBytes + bytesBefore;
    this.#isLarge = this.bytes > smallBytes;
  }

  get isLarge(): boolean {
    return this.#isLarge;
  }

  /** Objects, arrays, texts and names in it. */
  get parts(): number {
    return this.#ownParts;
  }

  /** Fields that are for us and go nowhere. */
  get ours(): RelayBody {
    return (this.#parsed ?? released()).ours;
  }

  /** As the client wrote it, but for what is ours; with marks where `longTexts` stand. */
  get text(): string {
    const { text } = this.#parsed ?? released();
    return typeof text === 'string' ? text : text();
  }

  /** For one request that is made of it. Undefined: nothing in it is that long. */
  longTexts(): LongTexts | undefined {
    // With fields of ours, the text is written on demand, and its marks refer to texts that are added then.
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
    if (this.#long !== null) return this.#fill(this.#long);
    if (this.#raw === null) return;
    const { bodies, owner, names, form } = this.#parts;
    const raw = this.#raw;
    if (form !== undefined) return this.#prepareForm(raw, form);
    const known = this.#known;
    this.#known = null;
    if (known !== null) return this.use(() => this.#keep(known));
    // A body that is parsed again was checked before.
    const check = this.#isChecked
      ? undefined
      : ({ text, value }: BodyText) => {
          this.seen = checkNames(value, text, raw, typeof names === 'function' ? names(value) : names);
        };
    this.#isChecked = true;
    if (isLong(raw)) return this.#prepareLong(raw, check);
    const parsing = parseBody(raw, bodies, owner, check);
    if (parsing instanceof Promise) return parsing.then((parsed) => this.use(() => this.#keep(parsed)));
    this.#keep(parsing);
  }

  async #prepareLong(raw: RawBody, check: ((body: BodyText) => void) | undefined): Promise<void> {
    const { bodies, owner, ownsBytes } = this.#parts;
    const long = await inSteps(bodies, owner, readLongJson(raw.bytes));
    if (long === null) {
      const parsed = await parseBody(raw, bodies, owner, check);
      await this.use(() => this.#keep(parsed));
      return;
    }
    // It may have been freed meanwhile.
    if (this.#raw === raw) {
      this.#long = long;
      this.#raw = null;
    }
    if (ownsBytes === true) freeBytes(raw.bytes);
    await inSteps(bodies, owner, long.texts.settle());
    const value = await bodies.inTurn(owner, () => parseLongJson(long));
    if (check !== undefined) await bodies.inTurn(owner, () => check({ text: long.json, value }));
    await this.use(() => this.#keep({ text: long.json, value }));
  }

  /** Parses a freed body again. */
  async #fill(long: LongJson): Promise<void> {
    const value = await this.use(() => parseLongJson(long));
    await this.use(() => this.#keep({ text: long.json, value }));
  }

  /** Its files stay where they are. */
  async #prepareForm({ bytes, file }: RawBody, form: MultipartSource): Promise<void> {
    const value = await multipartToBody(file ?? sourceOf(bytes), form.boundary, form);
    if (file !== undefined) this.#parts.hold.grow(bytesOfTexts(value));
    this.#keep({ text: '', value });
  }

  #keep({ text, value }: BodyText): void {
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

  /** Replaces the body. A caller that still uses the first one accounts for it itself. @throws {AppError} `bodies_of_caller`, `bodies_of_server` */
  replace(body: RelayBody): void {
    const { text, raw } = rawOf(body);
    this.#put(body, { bytes: raw.bytes.length, parts: raw.parts, text, raw, long: null });
  }

  /** The same of one that takes so many bytes, roughly: a long one in its turns. @throws {AppError} as `replace` */
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
    // Where there is no room for it, everything stays as it was.
    if (held > hold.bytes && !this.#isReleased) hold.grow(held - hold.bytes);
    hold.shrinkTo(held);
    this.#ownParts = parts;
    this.#nestedBytes = 0;
    this.#isLarge = isLarge;
    this.#raw = isLarge ? raw : null;
    this.#long = long;
    this.#dividedOurs = ours;
    this.#parsed = { text, body, ours };
    this.seen = allNames;
    this.#prompt = null;
  }

  /**
   * Returns the budget for parsing JSON texts in the body, for one attempt: the parts that the body itself has left. The hold grows to the need of
   * the largest attempt.
   */
  budget(): PartBudget {
    let grown = 0;
    return new PartBudget(this.#ownParts, (bytes) => {
      grown += bytes;
      if (grown <= this.#nestedBytes || this.#isReleased) return;
      this.#parts.hold.grow(grown - this.#nestedBytes);
      this.#nestedBytes = grown;
    });
  }

  /** Runs what takes long with a large body in its turn. */
  use<Result>(work: () => Result): Result | Promise<Result> {
    return this.#isLarge ? this.#parts.bodies.inTurn(this.#parts.owner, work) : work();
  }

  /** It is on its way to an upstream: what can be made again goes. */
  sent(endpoint: CountedEndpoint, model: string): void {
    if (!this.#isLarge || this.#parsed === null) return;
    this.#prompt ??= this.#promptOf(this.#parsed.body, endpoint, model);
    this.#parsed = null;
  }

  /** No other channel will be tried. */
  answered(): void {
    this.#file?.end();
    if (!this.#isLarge) return;
    this.#raw = null;
    this.#long = null;
    this.#nestedBytes = 0;
    this.#parts.hold.shrinkTo(this.#prompt === null ? 0 : lengthOf(this.#prompt));
  }

  /** The client has its response, or does not want it any more. Nothing is held from then on. */
  release(): void {
    this.#isReleased = true;
    this.answered();
    this.#parts.hold.shrinkTo(0);
  }

  /** Tokens of the prompt by the tokenizer; `estimate` when it is too long for that. */
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
  throw new Error('The body of a call is used after it was let go');
}

/** Roughly. */
function bytesOfTexts(body: RelayBody): number {
  return Object.values(body)
    .flat()
    .reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);
}

/** @param whole empty for a form, which has no text that could be rewritten */
function splitBody(value: RelayBody, split: SplitBody, whole: string, texts: LongTexts | undefined): ParsedBody {
  const { ours, body } = split(value);
  let text: string | null = whole === '' ? '' : null;
  return { ours, body, text: () => (text ??= writeJson(body, texts)) };
}

function lengthOf({ texts }: PromptContent): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}
