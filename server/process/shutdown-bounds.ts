// How long the steps of a shutdown may take, one after the other. What starts and stops servers has to wait for all of them
// (`stop_grace_period` in compose.yaml): a server that is killed before leaves its books to the next one.

/** How long a process that another one has replaced serves requests that come on open connections: a client may just be sending one. */
export const lastRequestsMs = 5_000;
/** Milliseconds that interrupted calls have to report the reason to their clients. */
export const lastWordsMs = 6_000;
/** How long calls that were cut may take to end. */
export const cutCallsMs = 5_000;
/** For a job under way: what it has not done is done when its lock has ended. */
export const jobPatienceMs = 8_000;
/** For a notice under way: its lease ends, and another process tries it again. */
export const noticePatienceMs = 5_000;
/** For the last settlements, figures and leases. */
const booksMs = 5_000;

/** What a shutdown takes at most once the grace of open calls is over; then the database does not answer, and the server ends. */
export const settleSeconds = (lastWordsMs + cutCallsMs + jobPatienceMs + noticePatienceMs + booksMs) / 1000;
