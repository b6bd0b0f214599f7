// Ids of files and stores in the account of OpenAI or a compatible provider.
import { isObject } from '#server/framing/loose-json.ts';
import { firstFilled, firstIn, isFilled } from '../provider-objects.ts';
import type { Body } from '#server/framing/strict-fields.ts';

/** Files by name, such as `ms://…` of Moonshot or `oss://…` of Alibaba: all schemes but `http`, `https` and `data`. */
const nameOfFile = /^\s*(?!https?:|data:)[a-z][a-z0-9+.-]*:\/\//i;
/** File ids in texts. https://help.aliyun.com/zh/model-studio/long-context-qwen-long */
const fileInText = /^\s*fileid:\/\//i;
const media = ['image_url', 'video_url', 'video', 'document_url', 'input_audio', 'file'];
/** Members with a URL or data; each may be a list. */
const placesOfName = ['url', 'data', 'file_data'];

export function findAccountObject({ messages, tools, extra_body: extra, google }: Body): string | undefined {
  return (
    inMessages(messages) ??
    (tools === undefined ? undefined : firstIn(tools, 'tools', inTool)) ??
    (isObject(extra) ? inGoogle(extra.google, 'extra_body.google') : undefined) ??
    (google === undefined ? undefined : inGoogle(google, 'google'))
  );
}

/** Google's fields within this format. https://ai.google.dev/gemini-api/docs/openai#extra-body */
function inGoogle(fields: unknown, path: string): string | undefined {
  return isObject(fields) ? firstFilled(fields, path, ['cached_content', 'cachedContent']) : undefined;
}

/** Finds an id in messages. Conversations are long and mostly texts, for which no paths are built. */
function inMessages(messages: unknown): string | undefined {
  const list: readonly unknown[] = Array.isArray(messages) ? messages : [messages];
  for (let index = 0; index < list.length; index += 1) {
    const message = list[index];
    if (!isObject(message)) continue;
    const { role, content } = message;
    if (content === undefined || content === null) continue;
    const isInstruction = role === 'system' || role === 'developer';
    if (typeof content !== 'string') {
      const found = inParts(content, `${pathOf(messages, index)}.content`, isInstruction);
      if (found !== undefined) return found;
    } else if (isInstruction && fileInText.test(content)) return `${pathOf(messages, index)}.content`;
  }
  return undefined;
}

function pathOf(messages: unknown, index: number): string {
  return Array.isArray(messages) ? `messages.${index}` : 'messages';
}

function inParts(content: unknown, path: string, isInstruction: boolean): string | undefined {
  return firstIn(content, path, (part, at) => {
    if (part.type === 'text') return isInstruction && isName(part.text, fileInText) ? `${at}.text` : undefined;
    // Mistral's file id. https://docs.mistral.ai/api
    if (isFilled(part.file_id)) return `${at}.file_id`;
    for (const name of media) {
      const found = inMedia(part[name], `${at}.${name}`);
      if (found !== undefined) return found;
    }
    return undefined;
  });
}

function inMedia(value: unknown, path: string): string | undefined {
  return inNames(value, path) ?? firstIn(value, path, inMedium);
}

function inMedium(medium: Body, path: string): string | undefined {
  const found = firstFilled(medium, path, ['file_id']);
  if (found !== undefined) return found;
  for (const name of placesOfName) {
    const named = inNames(medium[name], `${path}.${name}`);
    if (named !== undefined) return named;
  }
  return undefined;
}

/** Finds an id in a value or in a list of values. */
function inNames(value: unknown, path: string): string | undefined {
  if (!Array.isArray(value)) return isName(value, nameOfFile) ? path : undefined;
  const index = value.findIndex((one) => isName(one, nameOfFile));
  return index < 0 ? undefined : `${path}.${index}`;
}

function isName(value: unknown, form: RegExp): boolean {
  return typeof value === 'string' && form.test(value.slice(0, 64));
}

const namesOfTool = ['vector_store_ids', 'file_ids', 'knowledge_id'];

function inTool(tool: Body, path: string): string | undefined {
  const { type, container } = tool;
  if (typeof container === 'string' && isFilled(container)) return `${path}.container`;
  const fields = typeof type === 'string' && type !== 'function' ? tool[type] : undefined;
  return (
    firstFilled(tool, path, namesOfTool) ??
    (isObject(container) ? firstFilled(container, `${path}.container`, ['file_ids']) : undefined) ??
    (isObject(fields) ? firstFilled(fields, `${path}.${String(type)}`, namesOfTool) : undefined)
  );
}
