// The event that ends every stream of this format.
export const doneEvent = Buffer.from('data: [DONE]\n\n');

export function isDone(data: string): boolean {
  return data.trim() === '[DONE]';
}
