// V8 learns which places of the code allocate objects that outlive a young collection, and has optimized code allocate those in the old generation at
// once. Every call under way when a collection starts outlives it, so the relay teaches V8 just that, wrongly: calls live for milliseconds. Their
// dead objects then stay in the old generation, retain all objects that they refer to, and the collections that should find nothing copy a fifth of
// everything (docs/decisions/0005-lean-bodies.md). Imported before anything else, as V8 reads the flag when it optimizes.
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--no-allocation-site-pretenuring');

// The young generation doubles whenever enough has outlived it, so a busy server would grow in steps for minutes. It takes
// its full size at the first.
setFlagsFromString('--semi-space-growth-factor=64');
