// Reports whether a newer version is published: the server requests it, so that the console's pages need no foreign host.
import { z } from 'zod';
import { AppError } from '#shared/errors.ts';
import type { Release, siteTextApi } from '#shared/site-texts.ts';
import type { Handler } from '#server/http/call.ts';
import packageJson from '../../../package.json' with { type: 'json' };

/** Milliseconds in which the address is requested at most once. */
const retentionMs = 10 * 60 * 1000;
const patienceMs = 10_000;
const mostBytes = 1024 * 1024;
const mostNotes = 20_000;

/** GitHub's `releases/latest`, read loosely. https://docs.github.com/en/rest/releases/releases */
const Published = z.object({
  tag_name: z.string().max(100),
  html_url: z.string().max(2_000).catch(''),
  body: z.string().catch(''),
  published_at: z.string().max(100).catch(''),
});

/** @throws {AppError} `update_source_missing`, `update_check_failed` */
export function createUpdateCheck(): Handler<typeof siteTextApi.update> {
  let stored: { release: Release; until: number } | undefined;
  let requesting: Promise<Release> | undefined;
  return async ({ context }) => {
    const address = context.env.RELEASES_URL;
    if (address === undefined) throw new AppError('update_source_missing');
    if (stored !== undefined && context.now() < stored.until) return stored.release;
    requesting ??= readRelease(address).finally(() => {
      requesting = undefined;
    });
    try {
      const release = await requesting;
      stored = { release, until: context.now() + retentionMs };
      return release;
    } catch (cause) {
      context.log.warn({ err: cause }, 'the check for updates failed');
      throw new AppError('update_check_failed', {}, { cause });
    }
  };
}

async function readRelease(address: string): Promise<Release> {
  const headers = { accept: 'application/json', 'user-agent': 'tidegate' };
  const response = await fetch(address, { headers, signal: AbortSignal.timeout(patienceMs) });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`The address of releases answers ${response.status}`);
  }
  const { tag_name: version, html_url: url, body, published_at } = Published.parse(JSON.parse(await readText(response)));
  return { version, url, notes: body.slice(0, mostNotes), published_at, is_newer: isNewer(version, packageJson.version) };
}

/** @throws {Error} when it is longer than any description of a release */
async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > mostBytes) throw new Error('What stands at the address of releases is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Compares `v1.10.2` with `1.9.0`, number by number. A pre-release (`-rc.1`) is older than its release and ordered by its own numbers. */
export function isNewer(candidate: string, current: string): boolean {
  const [left, right] = [candidate, current].map(toParts);
  if (left === undefined || right === undefined) return false;
  for (let index = 0; index < 3; index += 1) {
    const difference = (left.numbers[index] ?? 0) - (right.numbers[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  if (left.preview === '' || right.preview === '') return right.preview !== '' && left.preview === '';
  return left.preview.localeCompare(right.preview, 'en', { numeric: true }) > 0;
}

/** `preview` is empty for a release. */
function toParts(version: string): { numbers: number[]; preview: string } | undefined {
  const [, numbers, preview = ''] = /^v?(\d+(?:\.\d+){0,2})(-\S+)?$/.exec(version.trim()) ?? [];
  if (numbers === undefined) return undefined;
  return { numbers: numbers.split('.').map(Number), preview };
}
