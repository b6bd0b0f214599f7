/** Seconds after a deletion in which it can be taken back. The console offers it for ten; the rest is for slow networks. */
export const restorableSeconds = 60;
