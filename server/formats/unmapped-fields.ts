// Response fields of an upstream format that are not mapped to other formats.

/** Members by reason: `content[text].citations` is a member of text blocks. */
type Reasons = Readonly<Record<string, readonly string[]>>;

/** Names of members that are not mapped, nor anything below them. `tests/conformance/vendor-members.test.ts` finds the names. */
export interface UnmappedFields {
  /** Members of complete responses. */
  whole: Reasons;
  /** Members of stream events, prefixed with the event type. */
  events: Reasons;
}
