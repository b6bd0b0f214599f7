// Writes compressed forms next to the build's files, as `server/http/static-files.ts` serves them: once and at the highest level, instead of by each
// server at the first request.
import { readFile, readdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const compressible = /\.(js|css|html|svg|map|txt)$/;

export function precompress(): Plugin {
  let folder = '';
  return {
    name: 'precompress',
    apply: 'build',
    configResolved({ root, build }) {
      folder = path.resolve(root, build.outDir);
    },
    closeBundle: {
      // Behind the service worker, which is written when everything else is.
      order: 'post',
      sequential: true,
      async handler() {
        const entries = await readdir(folder, { recursive: true, withFileTypes: true });
        const files = entries.filter((entry) => entry.isFile() && compressible.test(entry.name));
        await Promise.all(files.map(({ parentPath, name }) => compress(path.join(parentPath, name))));
      },
    },
  };
}

async function compress(file: string): Promise<void> {
  const bytes = await readFile(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength };
  await Promise.all([
    promisify(brotliCompress)(bytes, { params }).then((packed) => writeWhole(`${file}.br`, packed)),
    promisify(gzip)(bytes, { level: 9 }).then((packed) => writeWhole(`${file}.gz`, packed)),
  ]);
}

/** A server that runs meanwhile reads all of it or nothing. */
async function writeWhole(place: string, bytes: Uint8Array): Promise<void> {
  await writeFile(`${place}.new`, bytes);
  await rename(`${place}.new`, place);
}
