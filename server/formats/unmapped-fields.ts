// What providers of a format may say that callers of other formats do not hear of.

/** Members by the reason: `content[text].citations` is a member of the text blocks. */
type Reasons = Readonly<Record<string, readonly string[]>>;

/** What stands within a member that is named is meant, too. The names are those of `tests/conformance/vendor-members.test.ts`, which finds them. */
export interface UnmappedFields {
  /** Of whole responses. */
  whole: Reasons;
  /** Of events of streams; they begin with the event's type. */
  events: Reasons;
}
