// The guide's own call, as a program would make it: with a key instead of the session.

/** @throws when no answer came; what a refusal was is told by the guide itself */
export async function sendFirstCall({ key, model }: { key: string; model: string }): Promise<void> {
  const response = await fetch('/v1/chat/completions', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Say hello.' }] }),
    cache: 'no-store',
    credentials: 'omit',
    signal: AbortSignal.timeout(65_000),
  });
  await response.text();
}
