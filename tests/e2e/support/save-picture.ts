import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Visitor } from './browser.ts';

/** Stores a screenshot in the folder of `TEST_PICTURES`, if set. */
export async function savePicture({ page }: Pick<Visitor, 'page'>, name: string): Promise<void> {
  const folder = process.env.TEST_PICTURES;
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
}
