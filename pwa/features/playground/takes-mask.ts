/** Whether the model reads which parts of a picture are to be made anew. */
export function takesMask(model: string): boolean {
  return /^(?:chat)?gpt-image|^dall-e-2/.test(model);
}
