/** Instruction to summarize the conversation so far. */
export const summaryInstruction =
  'The conversation so far has become too long and is about to be replaced by what you write now. Write a summary that lets you go on ' +
  'without it: what was asked and why, what was decided, what was done and found (names, paths, numbers, code and errors word for word ' +
  'where they matter), what is still open and what comes next. Write nothing but the summary, and call no tools.';
