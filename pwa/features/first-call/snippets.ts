// First call as code, and programs that make it, with the real address, key and model. Values of the reader are marked.

import type { CallableKind } from '#pwa/api/chat-models.ts';
import { kindTemplate } from './kind-snippets.ts';
import { type Block, blocks, type CodeKind, type Language, type SnippetKind } from './snippet-blocks.ts';

export interface SnippetValues {
  /** With `/v1`. */
  baseUrl: string;
  /** With `sk-`; masked for the screen. */
  key: string;
  model: string;
  /** Kind of call. Programs are for conversations alone. */
  kind: CallableKind;
  /** Models that Claude Code requests by the name of a family. */
  claudeModels: ClaudeModels;
  /** All conversations that the key may have, for programs that are given a list. */
  models: readonly string[];
  /** For titles and summaries. */
  smallModel: string;
}

export type ClaudeModels = Readonly<Record<'haiku' | 'sonnet' | 'opus', string>>;

/** A piece of code; `isOwn`: the reader's address, key or model. */
export interface SnippetPart {
  text: string;
  isOwn: boolean;
}

/** Of each family the chosen model if it is of that, or the first of `models`, which begin with the best; where there is none, the chosen one. */
export function claudeModelsOf(model: string, models: readonly string[]): ClaudeModels {
  const of = (family: string) => [model, ...models].find((name) => name.toLowerCase().includes(family)) ?? model;
  return { haiku: of('haiku'), sonnet: of('sonnet'), opus: of('opus') };
}

/** How each way to use it is called, and where; the first is the shortest. */
export function snippetUses(kind: SnippetKind): readonly Pick<Block, 'use' | 'place'>[] {
  return blocks[kind];
}

/** `at`: which of the kind's ways. */
export function snippetParts(kind: SnippetKind, values: SnippetValues, at = 0): SnippetPart[] {
  const { language, template } = blockOf(kind, values, at);
  return template
    .split(/(\{(?:url|origin|key|model|haiku|sonnet|opus|small|models|lines:\d+)(?::json|:shell)?\})/)
    .filter((text) => text !== '')
    .flatMap((text) => filled(text, language, values));
}

function filled(text: string, language: Language, values: SnippetValues): SnippetPart[] {
  const [, slot = '', mode = ''] = /^\{(\w+)(?::(\w+))?\}$/.exec(text) ?? [];
  const { baseUrl, key, model, models, claudeModels, smallModel } = values;
  const all = models.length === 0 ? [model] : models;
  // JSON within an argument of a shell.
  const write = (name: string) =>
    mode === 'json' ? quoted('shell', quoted('json', name)) : quoted(mode === 'shell' ? 'shell' : language, name);
  const own = (value: string): SnippetPart[] => [{ text: value, isOwn: true }];
  const joined = (between: string, around: readonly [string, string]): SnippetPart[] =>
    all.flatMap((name, index) => [
      { text: `${index === 0 ? '' : between}${around[0]}`, isOwn: false },
      { text: write(name), isOwn: true },
      { text: around[1], isOwn: false },
    ]);
  switch (slot) {
    case 'url':
      return own(baseUrl);
    case 'origin':
      return own(baseUrl.replace(/\/v1$/, ''));
    case 'key':
      return own(key);
    case 'model':
      return own(write(model));
    case 'small':
      return own(write(smallModel));
    case 'haiku':
    case 'sonnet':
    case 'opus':
      return own(write(claudeModels[slot]));
    // Of an object, one each line.
    case 'models':
      return joined(',\n        ', ['"', '": {}']);
    // One each line, below each other.
    case 'lines':
      return joined(`\n${' '.repeat(Number(mode))}`, ['', '']).filter((part) => part.text !== '');
    default:
      return [{ text, isOwn: false }];
  }
}

function blockOf(kind: SnippetKind, { kind: asked, model }: SnippetValues, at: number): Pick<Block, 'language' | 'template'> {
  const [first, ...further] = blocks[kind];
  const block = further[at - 1] ?? first;
  return asked !== 'chat' && isCode(kind) ? { ...block, template: kindTemplate(asked, kind, model) } : block;
}

function isCode(kind: SnippetKind): kind is CodeKind {
  return kind === 'curl' || kind === 'python' || kind === 'node';
}

export function snippetText(kind: SnippetKind, values: SnippetValues, at = 0): string {
  return snippetParts(kind, values, at)
    .map(({ text }) => text)
    .join('');
}

/** A model's name is anybody's text: it must end neither the string nor the argument that it stands in. */
function quoted(language: Language, model: string): string {
  if (language === 'text') return model;
  if (language === 'shell') return model.replaceAll("'", String.raw`'\''`);
  // PowerShell takes typographic quotes for plain ones.
  if (language === 'powershell') return model.replaceAll(/['\u2018-\u201b]/g, '$&$&');
  const json = JSON.stringify(model).slice(1, -1);
  return language === 'node' ? json.replaceAll('\\"', '"').replaceAll("'", "\\'") : json;
}
