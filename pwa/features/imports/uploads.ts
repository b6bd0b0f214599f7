// Files on their way to the server. An upload continues while other screens are open; one that was interrupted continues where it stopped, with the
// same file.
import { useSyncExternalStore } from 'react';
import { importApi } from '#shared/imports.ts';
import { call } from '#pwa/api/call.ts';
import { CallFailure, failureOf } from '#pwa/api/failure.ts';

export interface Upload {
  id: number;
  name: string;
  sent: number;
  bytes: number;
  /** Why it does not continue. */
  failure?: string;
  /** The server refuses the file itself: sending it again is of no use. */
  isRefused?: boolean;
}

/** A part may take long on a slow line. */
const partMs = 600_000;
const retryMs = 3_000;
const mostRetries = 5;

let current: Upload | undefined;
const listeners = new Set<() => void>();

function set(upload: Upload | undefined): void {
  current = upload;
  for (const listener of listeners) listener();
}

export function useUpload(id: number): Upload | undefined {
  const upload = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
  return upload?.id === id ? upload : undefined;
}

/** Sends the file from `sent` on. Resolves to whether all of it is there. */
export async function sendFile({
  id,
  file,
  sent,
  partBytes,
}: {
  id: number;
  file: File;
  sent: number;
  partBytes: number;
}): Promise<boolean> {
  const about = { id, name: file.name, bytes: file.size };
  let at = sent;
  set({ ...about, sent: at });
  for (let failures = 0; at < file.size;) {
    try {
      const bytes = file.slice(at, at + partBytes);
      at = (await call(importApi.part, { params: { id: String(id) }, query: { at }, bytes, timeout: partMs })).received;
      failures = 0;
      if (current?.id !== id) return false;
      set({ ...about, sent: at });
    } catch (failure) {
      failures += 1;
      if (failures > mostRetries || !isPassing(failure)) {
        const isRefused = failure instanceof CallFailure && failure.code === 'import_not_sqlite';
        set({ ...about, sent: at, failure: failureOf(failure).message, isRefused });
        return false;
      }
      await new Promise((resolve) => setTimeout(resolve, Math.max(retryMs * failures, waitOf(failure))));
      // The part may have arrived, and its answer not.
      at = await receivedOf(id, at);
    }
  }
  set(undefined);
  return true;
}

async function receivedOf(id: number, at: number): Promise<number> {
  try {
    return (await call(importApi.read, { params: { id: String(id) } })).received;
  } catch {
    return at;
  }
}

/** A lost connection, a limit, or a part that had arrived before. */
function isPassing(failure: unknown): boolean {
  if (!(failure instanceof CallFailure)) return false;
  return failure.isUnreachable || failure.status === 429 || failure.status >= 500 || failure.code === 'import_part_order';
}

function waitOf(failure: unknown): number {
  return failure instanceof CallFailure && failure.retryAfter !== undefined ? failure.retryAfter * 1000 : 0;
}
