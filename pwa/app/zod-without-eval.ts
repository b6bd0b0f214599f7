// Schemas are interpreted, not compiled: a strict Content-Security-Policy forbids `new Function`, and even probing for it
// is reported. Imported first, because schemas look at this when they are made.
import { z } from 'zod';

z.config({ jitless: true });
