// Worker thread that compares a password with a bcrypt hash: in JavaScript, and hundreds of milliseconds of a processor. It ends with its reply.
import { parentPort, workerData } from 'node:worker_threads';
import bcrypt from 'bcryptjs';
import type { BcryptRequest } from './imported-passwords.ts';

const { forms, stored }: BcryptRequest = workerData;
parentPort?.postMessage(forms.some((form) => bcrypt.compareSync(form, stored)));
