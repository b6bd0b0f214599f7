// Reads documents in a thread: the parser takes half a second per megabyte, and what it is given may be made to take longer.
import { Worker } from 'node:worker_threads';
import { AppError } from '#shared/errors.ts';
import { type Described, type DocumentFile, unreadDocument } from './read-document.ts';

export interface ReadingRequest {
  files: readonly DocumentFile[];
  /** Values of references by name. */
  values: Readonly<Record<string, string>>;
}

/** The largest document takes a few seconds on an idle processor. */
const longestMs = 60_000;
/** Megabytes of a thread's heap. The largest document takes about half. */
const mostMemory = 1024;
/** Documents that wait or are read, of the process. */
const mostWaiting = 8;

let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

/**
 * Reads one document after the other. A document that takes too much time or memory has that as its only problem.
 * @throws {AppError} `apply_running` if too many wait
 */
export async function readInThread(
  files: readonly DocumentFile[],
  values: ReadingRequest['values'],
  timeoutMs: number = longestMs,
): Promise<Described> {
  if (waiting >= mostWaiting) throw new AppError('apply_running');
  waiting += 1;
  const reading = last.then(() => readNow({ files, values }, timeoutMs));
  last = reading.catch(() => null);
  try {
    return await reading;
  } finally {
    waiting -= 1;
  }
}

function readNow(request: ReadingRequest, timeoutMs: number): Promise<Described> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./document-worker.ts', import.meta.url), {
      workerData: request,
      execArgv: [],
      name: 'document',
      resourceLimits: { maxOldGenerationSizeMb: mostMemory },
    });
    const timer = setTimeout(() => void worker.terminate(), timeoutMs);
    worker.once('message', resolve);
    worker.once('error', (failure: unknown) => {
      const isTooLarge = failure instanceof Error && 'code' in failure && failure.code === 'ERR_WORKER_OUT_OF_MEMORY';
      if (isTooLarge) resolve(unreadDocument(request.files));
      else reject(failure);
    });
    worker.once('exit', () => {
      clearTimeout(timer);
      // Settled already unless the time was up.
      resolve(unreadDocument(request.files));
    });
  });
}
