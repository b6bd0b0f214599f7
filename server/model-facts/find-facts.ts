// Facts of a model by whatever name it goes: its vendor's, that of a host (`us.anthropic.claude-opus-4-6-v1:0`, `claude-haiku-4-5@20251001`,
// `openai/gpt-4o`), with a date, a version of its release or an effort behind it. A model that is newer than the data is taken for the newest of
// its family.
import { readFileSync } from 'node:fs';
import { type ModelFacts, readFacts } from './model-facts.ts';
import { ModelFile } from './model-record.ts';

const { date, heads, models } = ModelFile.parse(JSON.parse(readFileSync(new URL('./data/model-facts.json', import.meta.url), 'utf8')));

/** Day of the catalogue that the facts are from. */
export const factsDate = date;

/** Names of all models that there are facts of. */
export function knownModels(): readonly string[] {
  return Object.keys(models);
}

/** Callers choose the names. */
const mostFound = 10_000;
const found = new Map<string, ModelFacts | undefined>();

/** Undefined: nothing is known of it. The same object for each name of one model. */
export function factsOf(model: string): ModelFacts | undefined {
  const before = found.get(model);
  if (before !== undefined || found.has(model)) return before;
  const facts = search(model);
  if (found.size >= mostFound) found.clear();
  found.set(model, facts);
  return facts;
}

/** Whether the name, without what hosts add to it, is that of a record. */
export function isKnownName(model: string): boolean {
  return Object.hasOwn(models, vendorsName(model));
}

const longestName = 256;

function search(model: string): ModelFacts | undefined {
  if (model.length > longestName) return undefined;
  const name = vendorsName(model);
  const exact = ofRecord(name);
  if (exact !== undefined) return exact;
  const [released, bare] = [withoutRelease(name), withoutEndings(name)];
  return (
    ofRecord(released) ??
    ofRecord(bare) ??
    newestOfFamily(released) ??
    newestOfFamily(bare) ??
    newerThanAll(released) ??
    newerThanAll(bare) ??
    variantOf(bare)
  );
}

const records = new Map<string, ModelFacts>();

function ofRecord(id: string): ModelFacts | undefined {
  const before = records.get(id);
  if (before !== undefined) return before;
  const record = Object.hasOwn(models, id) ? models[id] : undefined;
  if (record === undefined) return undefined;
  const facts = readFacts(id, record);
  records.set(id, facts);
  return facts;
}

/** Where deployments have no dots: `gpt-35-turbo`. */
const undotted = new Map(
  Object.keys(models)
    .filter((id) => id.includes('.'))
    .map((id) => [id.replaceAll('.', ''), id] as const),
);

/** Case, collections and hosts aside. */
function vendorsName(model: string): string {
  if (Object.hasOwn(models, model)) return model;
  const last = model.slice(model.lastIndexOf('/') + 1);
  if (Object.hasOwn(models, last)) return last;
  const bare = last
    // A trained model (`ft:gpt-4o-mini:…`) answers as the one that it was trained from.
    .replace(/^ft:/, '')
    // `us.anthropic.`, where a version may follow a dot as well.
    .replace(/^(?:[a-z][a-z-]*\.){1,2}(?=[a-z])/, '')
    .replace(/@(?=\d|default)/, '-');
  const plain = bare.replace(/(?:-v?\d+)?:\d+$/, '').replace(/:.*$/, '');
  for (const name of [bare, plain, plain.toLowerCase(), dashed(plain.toLowerCase())]) if (Object.hasOwn(models, name)) return name;
  return undotted.get(plain) ?? dashed(plain);
}

/** Some hosts write `claude-opus-4.6`. */
function dashed(name: string): string {
  return name.startsWith('claude') ? name.replace(/(\d)\.(\d)/, '$1-$2') : name;
}

const releaseEnding = /-(?:\d{8}|\d{4}-\d{2}-\d{2}|\d{2}-\d{4}|\d{4}|\d{3}|v\d+|latest|default|preview|exp)$/;
/** How much the model shall think. */
const wishEnding = /-(?:minimal|none|low|medium|high|xhigh|max|thinking|nothinking|thinking-\d{1,6})$/;

/** Returns the longest name of a record, or the rest, without endings that denote a release of a model. */
function withoutRelease(name: string): string {
  let bare = name;
  while (!Object.hasOwn(models, bare) && releaseEnding.test(bare)) bare = bare.replace(releaseEnding, '');
  return bare;
}

/** Returns the same without endings that denote a mode of request. */
function withoutEndings(name: string): string {
  let bare = withoutRelease(name);
  while (!Object.hasOwn(models, bare) && wishEnding.test(bare)) bare = withoutRelease(bare.replace(wishEnding, ''));
  return bare;
}

interface ReadName {
  /** Without what counts: models that differ by their versions alone have the same. */
  family: string;
  /** `[6, 1]` of 6.1; null: the name has none, and is taken for the newest. */
  version: readonly number[] | null;
}

const number = /^([a-z]*)(\d+(?:\.\d+)*)$/i;
/** Of parameters: no version. */
const size = /^a?\d+(?:\.\d+)?b$/i;

/** `gpt-6.1-sol` → `gpt-sol`, 6.1; `claude-3-5-haiku` → `claude-haiku`, 3.5; `qwen3.8-max` → `qwen-max`, 3.8. */
function readName(name: string): ReadName {
  const words: string[] = [];
  let version: number[] | null = null;
  for (const word of name.split('-')) {
    if (size.test(word)) continue;
    const [, letters = word, digits] = number.exec(word) ?? [];
    if (letters !== '') words.push(letters);
    if (digits !== undefined) version = [...(version ?? []), ...digits.split('.').map(Number)];
  }
  return { family: words.join('-').toLowerCase(), version };
}

interface Member {
  id: string;
  version: readonly number[];
}

/** Oldest first. */
const families = new Map<string, Member[]>();
for (const id of Object.keys(models)) {
  const { family, version } = readName(id.replace(releaseEnding, ''));
  if (version === null) continue;
  const members = families.get(family) ?? [];
  members.push({ id, version });
  families.set(family, members);
}
for (const members of families.values()) members.sort((a, b) => compare(a.version, b.version) || b.id.length - a.id.length);

function compare(a: readonly number[], b: readonly number[]): number {
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The newest that is not newer than the model, which may be older than all. */
function newestOfFamily(name: string): ModelFacts | undefined {
  const { family, version } = readName(name);
  const members = families.get(family);
  if (members === undefined) return undefined;
  const head = headOf(family);
  // Versions are not always counted in one way: where the newest is known, it is known by name.
  const isBeyond = head !== undefined && (version === null || compare(version, head.version) >= 0);
  if (isBeyond && (head.family === family || !family.includes('-'))) return ofRecord(head.id);
  const member = version === null ? members.at(-1) : members.findLast((one) => compare(one.version, version) <= 0);
  return member === undefined ? undefined : ofRecord(member.id);
}

interface Head extends Member {
  family: string;
}

function headOf(family: string): Head | undefined {
  const [first = ''] = family.split('-');
  const id = Object.hasOwn(heads, first) ? heads[first] : undefined;
  if (id === undefined) return undefined;
  const { family: own, version } = readName(id);
  return { id, family: own, version: version ?? [] };
}

/** A model of a new line, and a name that has no version. */
function newerThanAll(name: string): ModelFacts | undefined {
  const { family, version } = readName(name);
  const head = headOf(family);
  const others = family.split('-').length - 1;
  if (head === undefined || others > 2) return undefined;
  // Where a line stands before its version, versions are counted in each line: the first of a new line is newer than all others.
  const isNewLine = others === 1 && lineFirst.test(head.id) && lineFirst.test(name);
  const isNewest = isNewLine || (version === null ? others === 0 : (version[0] ?? 0) >= (head.version[0] ?? 0));
  return isNewest ? ofRecord(head.id) : undefined;
}

/** `claude-opus-5-5`, not `gpt-6.1-sol`. */
const lineFirst = /^[a-z]+-[a-z]+-\d/;

/** A third party's variant of a model behaves like it; its context and output sizes are unknown. */
function variantOf(name: string): ModelFacts | undefined {
  for (let end = name.lastIndexOf('-'); end > 0; end = name.lastIndexOf('-', end - 1)) {
    const facts = ofRecord(name.slice(0, end)) ?? newestOfFamily(name.slice(0, end));
    if (facts !== undefined) return facts.isChat && /\d/.test(name.slice(0, end)) ? unmeasured(facts) : undefined;
  }
  return undefined;
}

const variants = new Map<string, ModelFacts>();

function unmeasured(facts: ModelFacts): ModelFacts {
  const before = variants.get(facts.id);
  if (before !== undefined) return before;
  const variant = { ...facts, context: null, output: null };
  variants.set(facts.id, variant);
  return variant;
}
