// Worker thread that reads one document. It ends with its reply.
import { parentPort, workerData } from 'node:worker_threads';
import type { ReadingRequest } from './read-in-thread.ts';
import { readDocument } from './read-document.ts';

const { files, values }: ReadingRequest = workerData;
parentPort?.postMessage(readDocument(files, { value: (name) => (Object.hasOwn(values, name) ? values[name] : undefined) }));
