import { useEffect, useState } from 'react';
import { useStoredUser } from '#pwa/api/self.ts';
import type { IconName } from '#pwa/ui/controls/icon.tsx';
import type { PaletteItem } from './palette-item.ts';
import { isOpenTo, readRecent, type RecentItem, rememberItem } from './recent.ts';

const recordIcons: Record<string, IconName> = { token: 'key', channel: 'channels', user: 'user', log: 'list', setting: 'settings' };

/** What was opened last, as far as it is open to the account now. Screens and actions are named in the language of now. */
export function useRecent(known: readonly PaletteItem[]): { recent: PaletteItem[]; remember: (item: PaletteItem) => void } {
  const userId = useStoredUser()?.id ?? 0;
  const [kept, setKept] = useState<RecentItem[]>([]);
  useEffect(() => {
    let isCurrent = true;
    void readRecent(userId).then((items) => {
      if (isCurrent) setKept(items);
    });
    return () => {
      isCurrent = false;
    };
  }, [userId]);
  const screens = known.flatMap(({ href, group }) => (group === 'screens' && href !== undefined ? [href] : []));
  const recent = kept.flatMap((item): PaletteItem[] => {
    const same = known.find(({ key }) => key === item.key);
    const icon = recordIcons[item.key.replace(/:.*/, '')];
    if (same !== undefined) return [{ ...same, key: `recent:${item.key}`, group: 'recent' }];
    // A record: the screen that shows it must be open to the account.
    if (icon === undefined || !isOpenTo(item.href, screens)) return [];
    return [{ ...item, key: `recent:${item.key}`, group: 'recent', icon }];
  });
  return { recent, remember: (item) => void rememberItem(userId, { ...item, key: item.key.replace(/^recent:/, '') }) };
}
