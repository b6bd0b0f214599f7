// Serves the built console from `dist/console`: hashed assets are immutable; the page and the service worker are
// revalidated.
import { createHash } from 'node:crypto';
import { readFile, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { z } from 'zod';
import type { AppContext } from '#server/context.ts';
import { manifestAtBase, pageAtBase } from '#server/http/base-path.ts';
import { isDecisionPage } from '#shared/paths.ts';
import { consoleHeaders } from '#server/http/console-headers.ts';
import { type SiteIdentity, siteManifest } from '#server/http/site-manifest.ts';

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};
const isCompressible = (type: string) => /^(text\/|application\/|image\/svg)/.test(type);
const ContentPolicy = z.object({ scripts: z.array(z.string().regex(/^'sha256-[\w+/=]+'$/)) });
const manifestName = 'manifest.webmanifest';
const pageName = 'index.html';
const notBuilt = 'The console has not been built yet. Run "npm start", or "npm run build", and reload this page.\n';
const encoders = {
  br: (bytes: Uint8Array) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (bytes: Uint8Array) => promisify(gzip)(bytes),
};
type Encoding = keyof typeof encoders;
/** Suffixes of compressed files in the build. */
const endings = { br: '.br', gzip: '.gz' } as const satisfies Record<Encoding, string>;

interface StaticFile {
  bytes: Uint8Array<ArrayBuffer>;
  type: string;
  etag: string;
  modified: number;
  /** Paths of compressed forms in the build. */
  packed: Partial<Record<Encoding, string | undefined>>;
  /** Each form is read or compressed once, on first use. */
  encoded: Partial<Record<Encoding, Promise<Uint8Array<ArrayBuffer>>>>;
}

export interface StaticFiles {
  /**
   * Returns the file at a path, else the console's page if a browser navigates there, else 404: probes, scrapers, and
   * service workers and icons of an earlier version must not get a page instead. Null for methods other than GET and
   * HEAD.
   */
  serve(request: Request, pathname: string): Promise<Response | null>;
}

/** `identity`: the site's identity, valid while no setting changes. */
export function createStaticFiles(context: Pick<AppContext, 'settings'>, folder: string, identity: () => SiteIdentity): StaticFiles {
  const loaded = new Map<string, StaticFile>();
  const policies: Record<string, readonly string[]> = {};
  let names: Promise<Set<string>> | null = null;
  const served = createRewriting(context, identity);

  async function load(name: string): Promise<StaticFile | null> {
    names ??= listFiles(folder);
    const listed = await names;
    // Only listed names are opened, so no external path reaches the file system.
    if (!listed.has(name)) return null;
    const file = path.join(folder, name);
    const modified = (await stat(file)).mtimeMs;
    const known = loaded.get(name);
    if (known?.modified === modified) return known;
    const bytes = new Uint8Array(await readFile(file));
    const fresh: StaticFile = {
      bytes,
      type: types[path.extname(name)] ?? 'application/octet-stream',
      etag: etagOf(bytes),
      modified,
      packed: packedForms(file, (encoding) => listed.has(name + endings[encoding])),
      encoded: {},
    };
    loaded.set(name, fresh);
    return fresh;
  }

  async function find(name: string): Promise<StaticFile | null> {
    try {
      return await load(name);
    } catch (failure) {
      // The console was rebuilt since the names were listed.
      if (isMissing(failure)) {
        names = null;
        return load(name).catch((again: unknown) => {
          if (isMissing(again)) return null;
          throw again;
        });
      }
      throw failure;
    }
  }

  /** Hashes of the page's inline scripts, computed by the build. */
  async function inlineScripts(): Promise<readonly string[]> {
    const file = await find('content-policy.json');
    if (file === null) return [];
    return (policies[file.etag] ??= ContentPolicy.parse(JSON.parse(new TextDecoder().decode(file.bytes))).scripts);
  }

  return {
    async serve(request, pathname) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return null;
      const name = decodeName(pathname);
      const headers = consoleHeaders(context, await inlineScripts(), isDecisionPage(pathname));
      const file = name === '' ? null : await find(name);
      if (file !== null) return fileResponse(request, served(file, name), name, headers);
      const isPage = name === '' || (isNavigation(request.headers) && !name.startsWith('assets/'));
      if (!isPage) return textResponse(request, headers, { status: 404, text: 'Not found\n' });
      const index = await find(pageName);
      if (index !== null) return fileResponse(request, served(index, pageName), pageName, headers);
      names = null;
      return textResponse(request, headers, { status: 503, text: notBuilt });
    },
  };
}

/** Returns what is served of a built file: the manifest has the site's name, and the page and the manifest the path of the site. */
function createRewriting(
  { settings }: Pick<AppContext, 'settings'>,
  identity: () => SiteIdentity,
): (file: StaticFile, name: string) => StaticFile {
  const { basePath } = settings;
  let manifest: { built: StaticFile; revision: number; made: StaticFile } | null = null;
  let page: { built: StaticFile; made: StaticFile } | null = null;

  /** Generated again when the build or a setting changes. */
  function ownManifest(file: StaticFile): StaticFile {
    if (manifest?.built !== file || manifest.revision !== settings.revision) {
      const text = (built: string) => siteManifest(basePath === '' ? built : manifestAtBase(built, basePath), identity());
      manifest = { built: file, revision: settings.revision, made: rewritten(file, text) };
    }
    return manifest.made;
  }

  /** Generated again when the build changes. */
  function ownPage(file: StaticFile): StaticFile {
    if (basePath === '') return file;
    if (page?.built !== file) page = { built: file, made: rewritten(file, (built) => pageAtBase(built, basePath)) };
    return page.made;
  }

  return (file, name) => (name === manifestName ? ownManifest(file) : name === pageName ? ownPage(file) : file);
}

function textResponse(
  { method }: Request,
  headers: Readonly<Record<string, string>>,
  { status, text }: { status: number; text: string },
): Response {
  const type = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };
  return new Response(method === 'HEAD' ? null : text, { status, headers: { ...headers, ...type } });
}

/** True if a browser navigates; without fetch metadata, decided by `Accept`. */
function isNavigation(headers: Headers): boolean {
  return headers.get('sec-fetch-mode') === 'navigate' || headers.get('accept')?.includes('text/html') === true;
}

function rewritten(file: StaticFile, rewrite: (text: string) => string): StaticFile {
  const bytes = new TextEncoder().encode(rewrite(new TextDecoder().decode(file.bytes)));
  return { bytes, type: file.type, etag: etagOf(bytes), modified: file.modified, packed: {}, encoded: {} };
}

function etagOf(bytes: Uint8Array): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;
}

async function fileResponse(request: Request, file: StaticFile, name: string, common: Record<string, string>): Promise<Response> {
  const headers: Record<string, string> = {
    ...common,
    'content-type': file.type,
    'cache-control': name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag: file.etag,
    vary: 'Accept-Encoding',
  };
  if (request.headers.get('if-none-match')?.includes(file.etag) === true) return new Response(null, { status: 304, headers });
  const encoding = isCompressible(file.type) ? acceptedEncoding(request.headers.get('accept-encoding')) : null;
  let { bytes } = file;
  if (encoding !== null) {
    bytes = await (file.encoded[encoding] ??= encode(file, encoding));
    headers['content-encoding'] = encoding;
  }
  headers['content-length'] = String(bytes.byteLength);
  return new Response(request.method === 'HEAD' ? null : bytes, { status: 200, headers });
}

function packedForms(file: string, has: (encoding: Encoding) => boolean): StaticFile['packed'] {
  const place = (encoding: Encoding) => (has(encoding) ? file + endings[encoding] : undefined);
  return { br: place('br'), gzip: place('gzip') };
}

async function encode({ bytes, packed }: StaticFile, encoding: Encoding): Promise<Uint8Array<ArrayBuffer>> {
  const place = packed[encoding];
  // A build in progress has removed it.
  const read = place === undefined ? null : await readFile(place).catch(() => null);
  return new Uint8Array(read ?? (await encoders[encoding](bytes)));
}

function acceptedEncoding(header: string | null): Encoding | null {
  const accepted = (header ?? '').toLowerCase();
  const takes = (name: string) => new RegExp(`(^|[,\\s])${name}(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))(?=$|[,;\\s])`).test(accepted);
  return takes('br') ? 'br' : takes('gzip') ? 'gzip' : null;
}

async function listFiles(folder: string): Promise<Set<string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((failure: unknown) => {
    if (isMissing(failure)) return [];
    throw failure;
  });
  return new Set(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/')),
  );
}

function decodeName(pathname: string): string {
  try {
    return decodeURIComponent(pathname).replace(/^\/+/, '');
  } catch {
    return '';
  }
}

function isMissing(failure: unknown): boolean {
  return failure instanceof Error && 'code' in failure && failure.code === 'ENOENT';
}
