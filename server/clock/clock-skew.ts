// Moments in records are written under the clock of whichever process writes them. One that is further ahead than any process writes it
// was written under a clock that was wrong, e.g. before its machine had asked for the time, and is not believed: a lock, a job or a limit
// would wait for it for years, and a deletion could be taken back for years.

/** Milliseconds by which clocks may differ: of jobs, two of which at once do no harm, and of deletions that are taken back. */
export const lockSkewMs = 60_000;
/** The same where two at once do harm, or where somebody may choose which process they ask: a limit that one process forgets is none. */
export const limitSkewMs = 3_600_000;
