/** For a change that must happen once however often it is sent: an answer may be lost. (Pages without TLS have no `randomUUID`.) */
export function newRequestName(): string {
  return crypto.getRandomValues(new Uint32Array(3)).join('-');
}
