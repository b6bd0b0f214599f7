// Items opened last from the palette, per account. Stored among the answers on this device, so that a sign-out deletes them: names of records are not
// for the next user.
import { hashKey } from '@tanstack/react-query';
import { z } from 'zod/mini';
import { readAnswers, writeAnswer } from '#pwa/offline/database.ts';
import type { PaletteItem } from './palette-item.ts';

const queryKey = ['recent'] as const;
const most = 6;

const Recent = z.array(z.object({ key: z.string(), name: z.string(), detail: z.optional(z.string()), href: z.string() }));
export type RecentItem = z.infer<typeof Recent>[number];

/** The last first. Never fails: without a database nothing is remembered. */
export async function readRecent(userId: number): Promise<RecentItem[]> {
  const answers = await readAnswers(userId).catch(() => []);
  const kept = Recent.safeParse(answers.find(({ hash }) => hash === hashKey(queryKey))?.data);
  return kept.success ? kept.data : [];
}

export async function rememberItem(userId: number, { key, name, detail, href }: PaletteItem): Promise<void> {
  if (href === undefined || userId === 0) return;
  const item: RecentItem = { key, name, detail, href };
  const data = [item, ...(await readRecent(userId)).filter((one) => one.key !== key)].slice(0, most);
  await writeAnswer({ userId, hash: hashKey(queryKey), queryKey, data, updatedAt: Date.now() }).catch(() => undefined);
}

/** Screens of administrators are not offered to whom they are closed, whatever this device remembers. */
export function isOpenTo(href: string, openScreens: readonly string[]): boolean {
  const screen = /^\/[^/?#]*/.exec(href)?.[0] ?? '/';
  return openScreens.includes(screen);
}
