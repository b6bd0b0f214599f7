// Times in records are written by the clock of the writing process. One that is further ahead than any process writes it was written by a wrong
// clock, e.g. before its machine had synchronized it, and is ignored: a lock, a job or a limit would wait for it for years, and a deletion could be
// taken back for years.

/** Milliseconds by which clocks may differ: of jobs, two of which at once do no harm, and of deletions that are taken back. */
export const lockSkewMs = 60_000;
/** The same for jobs where two at once do harm, or where callers may choose the process: a limit that one process forgets is none. */
export const limitSkewMs = 3_600_000;
