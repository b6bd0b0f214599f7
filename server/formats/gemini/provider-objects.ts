// Ids of files, caches and stores in the provider's account.
import { isObject } from '#server/framing/loose-json.ts';
import { firstIn, isFilled } from '../provider-objects.ts';
import { parseAddress } from '../media-addresses.ts';
import { looseMember as member } from '../proto-json.ts';
import type { Body } from '#server/framing/strict-fields.ts';

const host = /(?:^|\.)generativelanguage\.googleapis\.com\.?$/i;

export function findAccountObject(body: Body): string | undefined {
  const counted = member(body, 'generateContentRequest');
  const inner = isObject(counted) ? findIn(counted) : undefined;
  return inner === undefined ? findIn(body) : `generateContentRequest.${inner}`;
}

/** A URL that the provider opens with the channel's key. */
export function isOfAccount(uri: string): boolean {
  const url = parseAddress(uri.trim());
  return url === null || !/^https?:$/.test(url.protocol) || host.test(url.hostname);
}

function findIn(body: Body): string | undefined {
  if (isFilled(member(body, 'cachedContent'))) return 'cachedContent';
  return (
    firstIn(member(body, 'systemInstruction'), 'systemInstruction', inContent) ??
    firstIn(body.contents, 'contents', inContent) ??
    firstIn(body.tools, 'tools', inTool)
  );
}

export function inContent({ parts }: Body, path: string): string | undefined {
  return firstIn(parts, `${path}.parts`, inPart);
}

function inPart(part: Body, path: string): string | undefined {
  const file = member(part, 'fileData');
  const uri = isObject(file) ? member(file, 'fileUri') : undefined;
  if (typeof uri === 'string' && isOfAccount(uri)) return `${path}.fileData.fileUri`;
  const result = member(part, 'functionResponse');
  return isObject(result) ? firstIn(result.parts, `${path}.functionResponse.parts`, inPart) : undefined;
}

function inTool(tool: Body, path: string): string | undefined {
  const search = member(tool, 'fileSearch');
  if (isObject(search) && isFilled(member(search, 'fileSearchStoreNames'))) return `${path}.fileSearch.fileSearchStoreNames`;
  return isFilled(tool.retrieval) ? `${path}.retrieval` : undefined;
}
