import { useState } from 'react';
import { z } from 'zod/mini';

const storageKey = 'folded-tags';
const Folded = z.array(z.string());

/** Tags whose channels are not listed under them; stored on this device. */
export interface FoldedTags {
  has: (tag: string) => boolean;
  /** Folds and unfolds. */
  set: (tags: readonly string[], isFolded: boolean) => void;
}

export function useFoldedTags(): FoldedTags {
  const [folded, setFolded] = useState<ReadonlySet<string>>(() => new Set(stored()));
  return {
    has: (tag) => folded.has(tag),
    set: (tags, isFolded) => {
      const next = new Set(folded);
      for (const tag of tags) {
        if (isFolded) next.add(tag);
        else next.delete(tag);
      }
      localStorage.setItem(storageKey, JSON.stringify([...next]));
      setFolded(next);
    },
  };
}

/** Of a folded tag the first channel stays, for the place of its heading. */
export function withoutFolded<Row extends { tag: string }>(rows: readonly Row[], { has }: Pick<FoldedTags, 'has'>): Row[] {
  return rows.filter((row, index) => !has(row.tag) || rows[index - 1]?.tag !== row.tag);
}

function stored(): string[] {
  try {
    return Folded.parse(JSON.parse(localStorage.getItem(storageKey) ?? '[]'));
  } catch {
    return [];
  }
}
